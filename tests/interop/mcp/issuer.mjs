// A certified authorization server where MCP clients register themselves and one person signs in without being asked. The scope
// that calls need is granted from the second consent on. SETTINGS: {port, key, scope}
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(`${resolve(process.env.INTEROP_MODULES)}/`);
const { default: Provider } = await import(require.resolve('oidc-provider'));
const { port, key, scope } = JSON.parse(process.env.SETTINGS);
let consents = 0;

const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks: { keys: [key] },
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  scopes: ['openid', 'offline_access', scope],
  interactions: { url: (_, interaction) => `/sign-in/${interaction.uid}` },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => ({
        scope, audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 60, jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});

// The person consents to everything but, the first time, to the scope.
const consented = async ({ params, session }) => {
  consents += 1;
  const grant = new provider.Grant({ clientId: params.client_id, accountId: session.accountId });
  grant.addOIDCScope(`openid offline_access ${scope}`);
  if (consents > 1) grant.addResourceScope(params.resource, scope);
  else grant.rejectResourceScope(params.resource, scope);
  return { consent: { grantId: await grant.save() } };
};

provider.use(async (context, next) => {
  if (!context.path.startsWith('/sign-in/')) return next();
  const { req, res } = context;
  const details = await provider.interactionDetails(req, res);
  const result = details.prompt.name === 'login' ? { login: { accountId: 'kim' } } : await consented(details);
  return provider.interactionFinished(req, res, result);
});
provider.listen(port, '127.0.0.1', () => console.log('ready'));
