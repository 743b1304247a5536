// Ports for servers that are started later, or that are stopped and started again in their place.
import { createServer } from 'node:net';

// Below those that systems give out (from 32,768 on Linux): no connection of this machine takes one while its server is away.
const [FIRST, COUNT] = [25_000, 7_000];

const isFree = (port) => new Promise((done) => {
  const server = createServer();
  server.once('error', () => done(false));
  server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
});

/** A port of this machine that nothing listens on. */
export const freePort = async () => {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
};
