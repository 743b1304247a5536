// A person logs in with a certified authorization server, in a browser that is a plain HTTP client (Chromium, where $CHROMIUM names
// it: `browser/run`) and on another device; calls
// have the token, processes that need a new one at once ask for it once (the server takes each refresh token once), and a logout
// gives everything back. Usage: login.mjs CALLGATE
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, plain } from './browsers.mjs';

const require = createRequire(`${resolve(process.env.INTEROP_MODULES)}/`);
const { default: Provider } = await import(require.resolve('oidc-provider'));
const callgate = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'callgate-login-'));
const state = join(folder, 'state');
const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
const failures = [];
const check = (what, holds, detail = '') => {
  console.log(`${holds ? 'ok    ' : 'FAILED'} login: ${what}${holds ? '' : `: ${detail}`}`);
  if (!holds) failures.push(what);
};
const listening = (server) => new Promise((done) => { server.listen(0, '127.0.0.1', () => done(server.address().port)); });

// The port is known when the provider is made.
const issuerServer = createServer();
const issuer = `http://127.0.0.1:${await listening(issuerServer)}`;
const secret = randomBytes(24).toString('base64url');
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
// Longer than a busy machine takes for the calls of one round.
const LIFE = 12;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'public', application_type: 'native', token_endpoint_auth_method: 'none', response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token', DEVICE], redirect_uris: ['http://127.0.0.1/callback'],
    },
    {
      client_id: 'secret', client_secret: secret, application_type: 'native', token_endpoint_auth_method: 'client_secret_basic',
      response_types: ['code'], grant_types: ['authorization_code', 'refresh_token'], redirect_uris: ['http://127.0.0.1/callback'],
    },
  ],
  scopes: ['openid', 'offline_access', 'pets'],
  ttl: { AccessToken: LIFE, RefreshToken: 600, Grant: 600, Session: 600, Interaction: 600, AuthorizationCode: 60, DeviceCode: 60, IdToken: 60 },
  rotateRefreshToken: true,
  features: {
    devInteractions: { enabled: true },
    deviceFlow: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true },
  },
});
issuerServer.on('request', provider.callback());
const counts = {};
const tokens = new Set();
const asked = [];
provider.on('grant.success', (context) => {
  const kind = context.oidc.params.grant_type;
  counts[kind] = (counts[kind] ?? 0) + 1;
  asked.push({ ...context.oidc.params });
  for (const name of ['access_token', 'refresh_token', 'id_token']) {
    if (context.body[name]) tokens.add(context.body[name]);
  }
});
provider.on('grant.error', (_, error) => { if (process.env.VERBOSE) console.error(error.error, error.error_detail); });

const seen = { calls: 0, refused: 0 };
const service = createServer(async (request, response) => {
  seen.calls += 1;
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const known = token && await provider.AccessToken.find(token);
  if (known && !known.isExpired) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":7,"name":"Rex"}');
  } else {
    seen.refused += 1;
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  }
});
const server = `http://127.0.0.1:${await listening(service)}`;

writeFileSync(join(folder, 'spec.json'), JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets/7': { get: { operationId: 'getPet', responses: { 200: { description: 'ok' } } } } },
}));
const configured = (path, credential) => {
  writeFileSync(path, JSON.stringify({ toolsets: { pets: {
    openapi: join(folder, 'spec.json'), prefix: '', server,
    auth: { oauth2_authorization_code: { issuer, scopes: ['openid', 'offline_access', 'pets'], parameters: { prompt: 'consent' }, ...credential } },
  } } }));
  return path;
};

let written = '';
const run = (...words) => {
  // The keyring of whoever runs this is left alone: there is none at that address, so the logins are in files.
  const home = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/nothing`, XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(folder, 'config'), XDG_CACHE_HOME: join(folder, 'cache') };
  const child = spawn(callgate, words, { env: { ...process.env, ...home, IDP_SECRET: secret }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran = { text: '', code: undefined };
  const heard = (text) => { ran.text += text; written += text; };
  child.stdout.on('data', heard);
  child.stderr.on('data', heard);
  ran.ended = new Promise((done) => { child.on('close', (code) => { ran.code = code; done(ran); }); });
  ran.said = async (pattern) => {
    for (let tries = 0; tries < 4800; tries += 1) {
      const found = pattern.exec(ran.text);
      if (found) return found;
      if (ran.code !== undefined) break;
      await pause(25);
    }
    throw new Error(`expected ${pattern}, got: ${ran.text}`);
  };
  return ran;
};

// Chromium where one is named, else a plain HTTP client that fills in forms.
const real = process.env.CHROMIUM
  ? await chromium((await import(require.resolve('puppeteer-core'))).default, process.env.CHROMIUM, process.env.CHROMIUM_LIBRARIES)
  : undefined;
const browse = real?.browse ?? plain(issuer);
if (real) console.log(`       ${real.version}`);
const grants = () => { try { return readdirSync(join(state, 'callgate')).filter((name) => name.endsWith('.json')); } catch { return []; } };
const isActive = async (token) => {
  const authorization = `Basic ${Buffer.from(`secret:${secret}`).toString('base64')}`;
  const answer = await fetch(`${issuer}/token/introspection`, { method: 'POST', headers: { authorization }, body: new URLSearchParams({ token }) });
  return (await answer.json()).active;
};
const login = async (...words) => {
  const ran = run('login', ...words, '--no-browser');
  const [page] = await ran.said(/http:\/\/127\.0\.0\.1:\d+\/auth\S*/);
  const redirect = new URL(page).searchParams.get('redirect_uri');
  const foreign = await fetch(`${redirect}?code=x&state=${'A'.repeat(43)}`);
  const shown = await browse(page, (url) => url.startsWith(redirect));
  await ran.ended;
  return { ran, page: new URL(page), foreign, shown };
};

const began = Date.now();
const file = configured(join(folder, 'callgate.json'), { client_id: 'public' });
const call = (name = file) => run('call', name, 'getPet', '--json').ended;

const before = await call();
check('a call before it says the command, and is not sent', before.code === 1 && before.text.includes('auth_failed')
  && before.text.includes(`callgate login ${file}`) && seen.calls === 0, before.text);

const first = await login(file);
check('in a browser', first.ran.code === 0 && first.ran.text.includes('tokens are renewed') && first.shown.includes('You are logged in'), first.ran.text + first.shown);
check('with a challenge by SHA-256 and a state', first.page.searchParams.get('code_challenge_method') === 'S256'
  && first.page.searchParams.get('state').length === 43 && asked.at(-1).code_verifier.length === 43, first.page.href);
check('what another page sends to the port is refused', first.foreign.status === 400, first.foreign.status);
const kept = join(state, 'callgate', grants()[0]);
const mode = (path) => (statSync(path).mode & 0o777).toString(8);
check('only its user reads the grant', mode(kept) === '600' && mode(join(state, 'callgate')) === '700' && first.ran.text.includes(join(state, 'callgate')), mode(kept));

const answered = await call();
check('a call has the token', answered.code === 0 && answered.text.includes('Rex'), answered.text);

for (const round of [1, 2]) {
  await pause(LIFE * 1000 + 200);
  const refreshed = counts.refresh_token ?? 0;
  const refused = seen.refused;
  const ran = await Promise.all(Array.from({ length: 6 }, () => call()));
  check(`6 processes whose token has ended ask once (${round})`,
    ran.every(({ code }) => code === 0) && counts.refresh_token === refreshed + 1 && seen.refused === refused,
    `${ran.map(({ code }) => code)} ${(counts.refresh_token ?? 0) - refreshed} refreshes ${ran.find(({ code }) => code)?.text}`);
}

const doctor = await run('doctor', file).ended;
check('doctor has the token', doctor.code === 0, doctor.text);

// The server forgets the grant, as when the person takes it back on the server's pages.
const { refresh_token: lost } = JSON.parse(readFileSync(kept, 'utf8'));
await (await provider.RefreshToken.find(lost)).destroy();
await pause(LIFE * 1000 + 200);
const over = await call();
check('a grant that is refused says the command', over.code === 1 && over.text.includes('invalid_grant') && over.text.includes(`callgate login ${file}`), over.text);
const ill = await run('doctor', file).ended;
check('doctor says the command', ill.code === 1 && ill.text.includes('callgate login'), ill.text);

mkdirSync(join(folder, 'config/callgate'), { recursive: true });
configured(join(folder, 'config/callgate/mine.yaml'), { client_id: 'secret', client_secret: 'env:IDP_SECRET' });
const profile = await login('mine');
const mine = await call('mine');
check('a profile has a login of its own, with a client secret', profile.ran.code === 0 && mine.code === 0 && grants().length === 2, profile.ran.text + mine.text);
const away = await run('logout', 'mine').ended;
check('its logout', away.code === 0 && away.text.includes('logged out') && !away.text.includes('warning') && grants().length === 1, away.text);

const device = run('login', file, '--device');
const [page] = await device.said(/http:\/\/127\.0\.0\.1:\d+\/device\?\S*/);
await browse(page, (_, text) => text.includes('Sign-in Success'));
await device.ended;
const there = await call();
check('on another device', device.code === 0 && there.code === 0 && counts[DEVICE] === 1, device.text + there.text);

const held = JSON.parse(readFileSync(kept, 'utf8'));
const wasActive = await isActive(held.refresh_token);
const out = await run('logout', file).ended;
const isNow = [await isActive(held.refresh_token), await isActive(held.access_token)];
check('a logout gives the tokens back and forgets them', out.code === 0 && wasActive && !isNow[0] && !isNow[1] && grants().length === 0, `${out.text} ${wasActive} ${isNow}`);
const again = await run('logout', file).ended;
check('a second logout finds nobody', again.code === 0 && again.text.includes('nobody was logged in'), again.text);

const denied = run('login', file, '--no-browser');
const [start] = await denied.said(/http:\/\/127\.0\.0\.1:\d+\/auth\S*/);
const { searchParams } = new URL(start);
await fetch(`${searchParams.get('redirect_uri')}?error=access_denied&state=${searchParams.get('state')}&iss=${encodeURIComponent(issuer)}`);
await denied.ended;
check('a person who says no', denied.code === 2 && denied.text.includes('access_denied') && grants().length === 0, denied.text);

const codes = asked.flatMap(({ code, code_verifier, device_code }) => [code, code_verifier, device_code]).filter(Boolean);
const leaked = [...tokens, ...codes, secret].filter((known) => written.includes(known));
check(`none of ${tokens.size} tokens and ${codes.length} codes is in what callgate wrote`, tokens.size > 6 && leaked.length === 0, leaked.length);
console.log(`       ${((Date.now() - began) / 1000).toFixed(1)} s`);

await real?.close();
issuerServer.close();
service.close();
rmSync(folder, { recursive: true });
process.exit(failures.length ? 1 : 0);
