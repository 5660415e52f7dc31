/** Against real SSH servers on loopback: which key they have, and to whom a password is sent. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Connection, Server, utils } from 'ssh2'
import type { SshLogin } from '../protocol.ts'
import { askSsh, type SshQuestion } from './ssh.ts'

const IP = '127.22.0.1'
const LOGIN: SshLogin = {
  credentialId: 'c1',
  username: 'plat',
  password: 'correct horse',
  privateKey: '',
  passphrase: '',
  ip: '',
}

/** Passwords that anybody has sent. */
const sent: string[] = []
let [port, otherPort, fingerprint] = [0, 0, '']
const servers: Server[] = []

const OUTPUT = 'Linux 6.1.0-18-amd64 x86_64\nweb-1\nNAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'

const serve = (client: Connection): void => {
  client.on('error', () => {})
  client.on('authentication', (context) => {
    if (context.method === 'password') sent.push(context.password)
    if (context.method === 'password' && context.password === LOGIN.password) context.accept()
    else context.reject(['password'])
  })
  client.on('session', (accept) => {
    accept().on('exec', (acceptExec) => {
      const stream = acceptExec()
      stream.write(OUTPUT)
      stream.exit(0)
      stream.end()
    })
  })
}

const start = (hostKey: string): Promise<number> =>
  new Promise((resolve) => {
    const server = new Server({ hostKeys: [hostKey] }, serve)
    servers.push(server)
    server.listen(0, IP, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })

const newKey = (): { private: string; public: string } => utils.generateKeyPairSync('ed25519')

const sha256Of = (publicLine: string): string => {
  const key = Buffer.from(publicLine.split(' ')[1] ?? '', 'base64')
  return `SHA256:${new Bun.CryptoHasher('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

const ask = (changes: Partial<SshQuestion>) =>
  askSsh({
    ip: IP,
    port,
    timeoutMs: 8000,
    login: undefined,
    pinnedKey: '',
    signal: new AbortController().signal,
    ...changes,
  })

beforeAll(async () => {
  const key = newKey()
  fingerprint = sha256Of(key.public)
  port = await start(key.private)
  otherPort = await start(newKey().private)
})
afterAll(() => {
  for (const server of servers) server.close()
})

test('the key is reported as ssh-keygen prints it', async () => {
  expect((await ask({})).hostKey).toBe(fingerprint)
})

test('a login on a host with the pinned key reads its system', async () => {
  const { system } = await ask({ login: LOGIN, pinnedKey: fingerprint })
  expect(system).toEqual({
    kernel: 'Linux 6.1.0-18-amd64 x86_64',
    hostname: 'web-1',
    os: 'Debian GNU/Linux 12 (bookworm)',
    credentialId: 'c1',
  })
})

test('a host with another key than the pinned one is sent no password', async () => {
  sent.length = 0
  const { system, refusal, hostKey } = await ask({ port: otherPort, login: LOGIN, pinnedKey: fingerprint })
  expect([sent, system, hostKey === fingerprint]).toEqual([[], undefined, false])
  expect(refusal).toBe('its host key is not the one that is pinned, so no login was sent')
})

test('a host with a key that is not pinned is sent no password', async () => {
  sent.length = 0
  const { system, refusal } = await ask({ login: LOGIN })
  expect([sent, system, refusal]).toEqual([[], undefined, 'its host key is not pinned yet, so no login was sent'])
})

test('a wrong password is reported', async () => {
  const { refusal, system } = await ask({ login: { ...LOGIN, password: 'wrong' }, pinnedKey: fingerprint })
  expect([refusal, system]).toEqual(['the login was refused', undefined])
})

test('an invalid private key is reported', async () => {
  const { refusal } = await ask({ login: { ...LOGIN, password: '', privateKey: 'nonsense' }, pinnedKey: fingerprint })
  expect(refusal).toContain('privateKey')
})

test('without a credential no login is tried', async () => {
  sent.length = 0
  await ask({})
  expect(sent).toEqual([])
})
