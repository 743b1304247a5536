// Plays the scene `login` of tests/cli with a certified authorization server, and with Chromium for the person's browser: the terminal
// shows what it shows elsewhere. Usage: journey.mjs CALLGATE
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { chromium } from './browsers.mjs';

const require = createRequire(`${resolve(process.env.INTEROP_MODULES)}/`);
const { default: Provider, interactionPolicy } = await import(require.resolve('oidc-provider'));
const { default: puppeteer } = await import(require.resolve('puppeteer-core'));
const listening = (server) => new Promise((done) => { server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}`)); });

const issuerServer = createServer();
const issuer = await listening(issuerServer);
const policy = interactionPolicy.base();
policy.get('consent').checks.remove('native_client_prompt');
const provider = new Provider(issuer, {
  clients: [{
    client_id: 'public', application_type: 'native', token_endpoint_auth_method: 'none', response_types: ['code'],
    grant_types: ['authorization_code'], redirect_uris: ['http://127.0.0.1/callback'],
  }],
  scopes: ['openid', 'pets'],
  ttl: { AccessToken: 600, Grant: 600, Session: 600, Interaction: 600, AuthorizationCode: 60, IdToken: 60 },
  // The person is asked who they are, and not what the client may do.
  interactions: { policy },
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope('openid pets');
    await grant.save();
    return grant;
  },
  features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
});
issuerServer.on('request', provider.callback());

const { browse, close } = await chromium(puppeteer, process.env.CHROMIUM, process.env.CHROMIUM_LIBRARIES);
const person = createServer(async (request, response) => {
  try {
    const page = new URL(request.url, issuer).searchParams.get('page');
    const redirect = new URL(page).searchParams.get('redirect_uri');
    response.end(await browse(page, (url) => url.startsWith(redirect)));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
const env = { ...process.env, JOURNEY_ISSUER: issuer, JOURNEY_PERSON: await listening(person) };
const journey = spawn('tests/cli/journey', ['--callgate', process.argv[2], 'login'], { env, stdio: 'inherit' });
const code = await new Promise((done) => { journey.on('close', done); });
await close();
process.exit(code);
