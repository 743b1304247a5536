// The same authorization server, which issues JWTs for callers of a sidecar and exchanges them (RFC 8693) for tokens of its own
// for a service: only its own ones, only for a client that may, only for the service `pets`.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(`${resolve(process.env.INTEROP_MODULES)}/`);
const { default: Provider, errors } = await import(require.resolve('oidc-provider'));
const { createLocalJWKSet, jwtVerify } = await import(require.resolve('jose'));
const { port, secrets, key } = JSON.parse(process.env.SETTINGS);
const issuer = `http://127.0.0.1:${port}`;
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const client = (id, grant) => ({
  client_id: id,
  client_secret: secrets[id],
  id_token_signed_response_alg: 'ES256',
  grant_types: [grant],
  response_types: [],
  redirect_uris: [],
});

const provider = new Provider(issuer, {
  clients: [
    client('kim', 'client_credentials'),
    client('lee', 'client_credentials'),
    client('callgate', EXCHANGE),
    client('service', 'client_credentials'),
  ],
  jwks: { keys: [key] },
  extraTokenClaims: (_, token) => (token.onBehalfOf ? { on_behalf_of: token.onBehalfOf } : undefined),
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: (context) => (context.oidc.client.clientId === 'callgate' ? undefined : 'urn:callgate'),
      getResourceServerInfo: () => ({
        scope: '', audience: 'callgate', accessTokenFormat: 'jwt', accessTokenTTL: 60, jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});

const { d, ...open } = key;
const keys = createLocalJWKSet({ keys: [open] });
provider.registerGrantType(EXCHANGE, async (context) => {
  const { params, client: asker } = context.oidc;
  if (params.audience !== 'pets') throw new errors.InvalidTarget('no such service');
  if (params.subject_token_type !== ACCESS_TOKEN) throw new errors.InvalidRequest('the type of the token is none that is taken');
  const shown = await jwtVerify(params.subject_token, keys, { issuer, audience: 'callgate' }).catch(() => {
    throw new errors.InvalidRequest(`the token is not valid: ${params.subject_token}`);
  });
  const token = new provider.ClientCredentials({ client: asker });
  token.onBehalfOf = shown.payload.client_id;
  context.body = {
    access_token: await token.save(), issued_token_type: ACCESS_TOKEN, token_type: 'Bearer', expires_in: token.expiration,
  };
}, ['audience', 'resource', 'scope', 'requested_token_type', 'subject_token', 'subject_token_type']);

let exchanged = 0;
provider.on('grant.success', (context) => { exchanged += context.oidc.params.grant_type === EXCHANGE ? 1 : 0; });
provider.on('grant.error', (_, error) => {
  if (process.env.VERBOSE) console.error(error.error, error.error_description, error.error_detail);
});
// It does not outlive its parent.
process.on('disconnect', () => process.exit());
process.on('message', () => process.send({ exchanged }));
provider.listen(port, '127.0.0.1', () => process.send('ready'));
