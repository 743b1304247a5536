// The same authorization server as an issuer of JWTs for callers of a sidecar. Its parent gives the keys; the first signs.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(`${resolve(process.env.INTEROP_MODULES)}/`);
const { default: Provider } = await import(require.resolve('oidc-provider'));
const { port, secret, keys } = JSON.parse(process.env.SETTINGS);

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{
    client_id: 'agent',
    client_secret: secret,
    id_token_signed_response_alg: 'ES256',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
  }],
  jwks: { keys },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'urn:callgate',
      getResourceServerInfo: () => ({
        scope: '', audience: 'callgate', accessTokenFormat: 'jwt', accessTokenTTL: 60, jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});

let asked = 0;
provider.use(async (context, next) => {
  asked += context.path === '/jwks' ? 1 : 0;
  await next();
});
// It does not outlive its parent.
process.on('disconnect', () => process.exit());
process.on('message', () => process.send({ asked }));
provider.listen(port, '127.0.0.1', () => process.send('ready'));
