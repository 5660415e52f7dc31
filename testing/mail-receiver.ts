/** A mail server on loopback, as far as RFC 5321 needs it, that fails in the ways that a test sets. */
import { spawnSync } from 'node:child_process'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'

export type ReceivedMail = { readonly from: string; readonly to: readonly string[]; readonly data: string }

/** `silent` never greets. The others answer to `RCPT`. `unknown@` is always refused. */
export type MailAnswer = 'take' | 'later' | 'refuse' | 'silent'

export type MailReceiver = {
  readonly port: number
  readonly received: ReceivedMail[]
  readonly answer: (how: MailAnswer) => void
  readonly close: () => Promise<void>
}

const HOST = '127.0.0.1'
const ANSWERS = { take: '250 OK', later: '450 4.2.1 mailbox is busy', refuse: '550 5.1.1 no such user', silent: '' }

/** Returns a key and a certificate of an authority that no one knows. */
const createCertificate = (): { readonly key: string; readonly cert: string } => {
  const { stdout } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', '-', '-out', '-'],
  ])
  const text = stdout.toString()
  const pick = (name: string): string =>
    new RegExp(`-----BEGIN ${name}-----[\\s\\S]+?-----END ${name}-----`).exec(text)?.[0] ?? ''
  return { key: pick('PRIVATE KEY'), cert: pick('CERTIFICATE') }
}

/** @param isSecure TLS from the first byte, with a certificate that cannot be verified */
export const startMailReceiver = async ({ isSecure = false } = {}): Promise<MailReceiver> => {
  const received: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  let how: MailAnswer = 'take'

  const serve = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    if (how === 'silent') return
    const reply = (text: string) => void socket.write(`${text}\r\n`)
    let mail = { from: '', to: [] as string[], data: '' }
    let isData = false
    let rest = ''
    reply('220 tests ESMTP')
    socket.on('data', (bytes) => {
      const lines = (rest + bytes.toString()).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (isData && line !== '.') {
          mail.data += `${line.replace(/^\./, '')}\r\n`
          continue
        }
        const verb = line.slice(0, 4).toUpperCase()
        if (isData) {
          isData = false
          received.push(mail)
          reply('250 queued as 1')
        } else if (verb === 'EHLO' || verb === 'HELO') reply('250 tests')
        else if (verb === 'MAIL') {
          mail = { from: /<(.*?)>/.exec(line)?.[1] ?? '', to: [], data: '' }
          reply('250 OK')
        } else if (verb === 'RCPT') {
          const address = /<(.*?)>/.exec(line)?.[1] ?? ''
          const isKnown = !address.startsWith('unknown@')
          if (how === 'take' && isKnown) mail.to.push(address)
          reply(isKnown ? ANSWERS[how] : ANSWERS.refuse)
        } else if (verb === 'DATA') {
          isData = true
          reply('354 go on')
        } else if (verb === 'QUIT') {
          reply('221 bye')
          socket.end()
        } else reply('250 OK')
      }
    })
  }

  const server = isSecure ? createSecureServer(createCertificate(), serve) : createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  return {
    // A listening TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,
    received,
    answer: (next) => {
      how = next
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
