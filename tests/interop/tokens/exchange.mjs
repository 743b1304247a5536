// Callers of a sidecar show tokens of a certified authorization server, each of which the sidecar has exchanged there (RFC 8693)
// for one for the service, which asks that server whom it is on behalf of. Usage: exchange.mjs CALLGATE
import { fork, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './ports.mjs';

const callgate = process.argv[2];
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'callgate-exchange-'));
const failures = [];
const check = (what, holds, detail = '') => {
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : `: ${detail}`}`);
  if (!holds) failures.push(what);
};

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = { ...privateKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' };
const port = await freePort();
const issuer = `http://127.0.0.1:${port}`;
const secrets = Object.fromEntries(['kim', 'lee', 'callgate', 'service'].map((id) => [id, randomBytes(24).toString('base64url')]));
const server = await new Promise((done, failed) => {
  const path = fileURLToPath(new URL('exchanger.mjs', import.meta.url));
  const env = { ...process.env, SETTINGS: JSON.stringify({ port, secrets, key }) };
  const child = fork(path, { env, stdio: ['ignore', 'ignore', process.env.VERBOSE ? 'inherit' : 'ignore', 'ipc'] });
  child.once('message', () => done(child));
  child.once('exit', (code) => failed(new Error(`the server ended: ${code}`)));
});
const exchanged = () => new Promise((done) => {
  server.once('message', (counts) => done(counts.exchanged));
  server.send('counts');
});

const basic = (id) => `Basic ${Buffer.from(`${id}:${secrets[id]}`).toString('base64')}`;
const tokenOf = async (id) => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource: 'urn:callgate' });
  const answer = await fetch(`${issuer}/token`, { method: 'POST', headers: { authorization: basic(id) }, body });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()).access_token;
};

// The service answers whom the token is on behalf of, and repeats the token.
const carried = new Set();
const service = createServer(async (request, response) => {
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  carried.add(token);
  const headers = { authorization: basic('service') };
  const asked = await fetch(`${issuer}/token/introspection`, { method: 'POST', headers, body: new URLSearchParams({ token }) });
  const said = await asked.json();
  if (!said.active) {
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
    return;
  }
  const body = JSON.stringify({ id: 7, name: said.on_behalf_of, echo: token });
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
});
await new Promise((done) => { service.listen(0, '127.0.0.1', done); });

const toolset = (audience) => ({
  openapi: join(root, 'fixtures/pets/spec.yaml'),
  server: `http://127.0.0.1:${service.address().port}`,
  auth: { token_exchange: {
    issuer, client_id: 'callgate', client_secret: `literal:${secrets.callgate}`, subject_token: '$caller.token', audience,
  } },
});
writeFileSync(join(folder, 'callgate.json'), JSON.stringify({
  listen: '127.0.0.1:0',
  access: {
    jwt: [{ issuer, audience: 'callgate', algorithms: ['ES256'] }],
    principals: { agent: { bearer: 'literal:a-token-without-a-user' } },
  },
  toolsets: { pets: toolset('pets'), others: toolset('others') },
}));
const sidecar = spawn(callgate, ['serve', join(folder, 'callgate.json')], {
  stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, RUST_LOG: 'trace' },
});
let log = '';
const address = await new Promise((done) => {
  sidecar.stderr.on('data', (text) => {
    log += text;
    const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(log) ?? [];
    if (found) done(found);
  });
});
const texts = [];
const call = async (token, tool) => {
  const answer = await fetch(`${address}/v1/calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ calls: [{ id: '1', tool: `${tool}-getPet`, args: { petId: 7 } }] }),
  });
  const text = await answer.text();
  texts.push(text);
  return JSON.parse(text).results[0];
};

const [kim, kims, lee] = [await tokenOf('kim'), await tokenOf('kim'), await tokenOf('lee')];
const calls = Array.from({ length: 60 }, (_, at) => [['kim', kim], ['kim', kims], ['lee', lee]][at % 3]);
const answered = await Promise.all(calls.map(async ([name, token]) => [name, await call(token, 'pets')]));
const wrong = answered.filter(([name, result]) => result.response?.name !== name);
check('60 calls of two callers with three tokens: each on behalf of its caller', wrong.length === 0, JSON.stringify(wrong[0]));
check('each token is exchanged once', await exchanged() === 3 && carried.size === 3, `${await exchanged()} ${carried.size}`);
check('no token of a caller reaches the service', ![kim, kims, lee].some((token) => carried.has(token)));

const target = (await call(kim, 'others')).error;
check('a service the server does not know: auth_failed with invalid_target',
  target?.code === 'auth_failed' && target.message.includes('invalid_target'), JSON.stringify(target));
const nobody = (await call('a-token-without-a-user', 'pets')).error;
check('a caller without a JWT: sign_in_required', nobody?.code === 'sign_in_required' && nobody.reached === 'no', JSON.stringify(nobody));

sidecar.kill('SIGTERM');
await new Promise((done) => { sidecar.once('exit', done); });
const written = `${log} ${texts.join(' ')}`;
const shown = [kim, kims, lee, ...carried, secrets.callgate].filter((token) => written.includes(token));
check('no token is in an answer or in the log at its finest level', shown.length === 0, `${shown.length} are`);
server.removeAllListeners('exit');
server.kill('SIGKILL');
service.close();
rmSync(folder, { recursive: true });
process.exit(failures.length ? 1 : 0);
