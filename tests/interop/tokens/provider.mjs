// An OpenID-certified authorization server on loopback, with clients that show who they are in each of the ways. It keeps
// its tokens in memory: when it starts again it knows none of them. Its parent gives the settings, says when to listen, and hears the
// counts.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(`${resolve(process.env.INTEROP_MODULES)}/`);
const { default: Provider } = await import(require.resolve('oidc-provider'));
const { port, secret, jwks } = JSON.parse(process.env.SETTINGS);
const issuer = `http://127.0.0.1:${port}`;

const client = (id, method, extra) => ({
  client_id: id,
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
  scope: 'read',
  token_endpoint_auth_method: method,
  ...extra,
});

const provider = new Provider(issuer, {
  clients: [
    client('basic', 'client_secret_basic', { client_secret: secret }),
    client('post', 'client_secret_post', { client_secret: secret }),
    ...Object.entries(jwks).map(([algorithm, key]) =>
      client(`jwt-${algorithm}`, 'private_key_jwt', {
        token_endpoint_auth_signing_alg: algorithm,
        jwks: { keys: [key] },
      })),
  ],
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  enabledJWA: { clientAuthSigningAlgValues: ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'] },
  scopes: ['openid', 'read'],
  ttl: { ClientCredentials: 3 },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    devInteractions: { enabled: false },
  },
});

let issued = 0;
let refused = 0;
provider.on('grant.success', () => { issued += 1; });
provider.on('grant.error', (_, error) => {
  refused += 1;
  if (process.env.VERBOSE) console.error(error.error, error.error_description, error.error_detail);
});
const listen = () => provider.listen(port, '127.0.0.1', () => process.send('ready'));
// It does not outlive its parent.
process.on('disconnect', () => process.exit());
process.on('message', (word) => (word === 'listen' ? listen() : process.send({ issued, refused })));
process.send('loaded');
