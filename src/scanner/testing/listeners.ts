/** Servers on loopback with scripted answers, to be found by a scan. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'

export type Listener = { readonly port: number; readonly close: () => void }

const opened: Server[] = []

const listen = (server: Server, ip: string, port: number): Promise<Listener> => {
  opened.push(server)
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(port, ip, () => {
      const address = server.address()
      resolve({ port: typeof address === 'object' && address ? address.port : port, close: () => server.close() })
    })
  })
}

const quiet = (talk: (socket: Socket) => void) => (socket: Socket) => {
  // The scanner resets its connections.
  socket.on('error', () => {})
  talk(socket)
}

/** @param port 0: any that is free */
export const listenTcp = (ip: string, port: number, talk: (socket: Socket) => void): Promise<Listener> =>
  listen(createServer(quiet(talk)), ip, port)

export const listenTls = (
  ip: string,
  port: number,
  { key, cert, talk }: { key: string; cert: string; talk: (socket: Socket) => void },
): Promise<Listener> => {
  const server = createTlsServer({ key, cert }, quiet(talk))
  server.on('tlsClientError', () => {})
  return listen(server, ip, port)
}

export const closeListeners = (): void => {
  for (const server of opened.splice(0)) server.close()
}

/** Says it as soon as someone connects. */
export const greets = (text: string | Uint8Array) => (socket: Socket) => {
  socket.write(text)
}

/** Sends the text after a request, and closes the connection. */
export const answers = (text: string | Uint8Array) => (socket: Socket) => {
  socket.once('data', () => socket.end(text))
}

/** Creates a key and a certificate that it has signed itself, by openssl. */
export const createSelfSigned = (name: string, more: readonly string[] = []): { key: string; cert: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-cert-'))
  try {
    const config = join(folder, 'config')
    const names = [name, ...more].map((one) => `DNS:${one}`).join(',')
    // In a file, since thousands of names are more than a command line takes.
    writeFileSync(
      config,
      `[req]\ndistinguished_name=dn\nx509_extensions=ext\nprompt=no\n[dn]\nCN=${name}\n[ext]\nsubjectAltName=${names}\n`,
    )
    const made = Bun.spawnSync([
      ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-config', config, '-keyout', '-', '-out', '-'],
    ])
    if (made.exitCode !== 0) throw new Error(`openssl: ${made.stderr.toString()}`)
    const text = made.stdout.toString()
    const at = text.indexOf('-----BEGIN CERTIFICATE')
    return { key: text.slice(0, at), cert: text.slice(at) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
