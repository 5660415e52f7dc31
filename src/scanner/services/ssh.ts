/** Reads the host key of an SSH server and, after a login to a pinned key, facts of its system. */
import { Client, type ClientChannel, type ConnectConfig } from 'ssh2'
import type { SshLogin } from '../protocol.ts'
import { cleanText } from './clean-text.ts'

export type SshFinding = {
  /** `SHA256:...`; empty when the handshake did not come so far. */
  readonly hostKey: string
  /** Output lines of the login; undefined without one. */
  readonly system: SshSystem | undefined
  /** Why a login that was wanted was not made. */
  readonly refusal: string
}

export type SshSystem = {
  readonly kernel: string
  readonly os: string
  readonly hostname: string
  readonly credentialId: string
}

export type SshQuestion = {
  readonly ip: string
  readonly port: number
  readonly timeoutMs: number
  readonly login: SshLogin | undefined
  /** Empty: none is pinned for this address yet. */
  readonly pinnedKey: string
  readonly signal: AbortSignal
}

const MOST_OUTPUT_BYTES = 8 * 1024
/** A server offers its algorithms at once; one that does not is none, and is not waited for as long as a slow key exchange. */
const BEGIN_MS = 1000
const HAS_BEGUN = 'Inbound: Handshake in progress'
/** Reads and changes nothing. */
const COMMAND = 'uname -srm; uname -n; cat /etc/os-release 2>/dev/null | head -n 40'

/** The form that ssh-keygen prints. */
const formatFingerprint = (key: Uint8Array): string =>
  `SHA256:${new Bun.CryptoHasher('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** Includes algorithms of old devices, to read their key; a login uses safe ones only. */
const OLD_ALGORITHMS: NonNullable<ConnectConfig['algorithms']> = {
  kex: { append: ['diffie-hellman-group14-sha1', 'diffie-hellman-group-exchange-sha1'], prepend: [], remove: [] },
  serverHostKey: { append: ['ssh-dss'], prepend: [], remove: [] },
  cipher: { append: ['aes128-cbc', 'aes256-cbc', '3des-cbc'], prepend: [], remove: [] },
}

const parseSystem = (output: string, credentialId: string): SshSystem => {
  const [kernel = '', hostname = '', ...release] = output.split('\n')
  const pretty = release.map((line) => /^PRETTY_NAME="?([^"]*)/.exec(line)?.[1]).find((name) => name !== undefined)
  return {
    kernel: cleanText(kernel, 120),
    hostname: cleanText(hostname, 120),
    os: cleanText(pretty ?? kernel, 120),
    credentialId,
  }
}

const getRefusal = ({ login, pinnedKey }: SshQuestion, hostKey: string): string => {
  if (login === undefined) return ''
  if (pinnedKey === '') return 'its host key is not pinned yet, so no login was sent'
  return hostKey === pinnedKey ? '' : 'its host key is not the one that is pinned, so no login was sent'
}

type Hooks = Pick<ConnectConfig, 'hostVerifier' | 'authHandler' | 'debug'>

const buildConfig = ({ ip, port, timeoutMs, login }: SshQuestion, hooks: Hooks): ConnectConfig => {
  const base: ConnectConfig = { host: ip, port, readyTimeout: timeoutMs, timeout: timeoutMs, ...hooks }
  if (login === undefined) return { ...base, username: 'plat', algorithms: OLD_ALGORITHMS }
  const { username, password, privateKey, passphrase } = login
  return {
    ...base,
    username,
    ...(password !== '' && { password }),
    ...(privateKey !== '' && { privateKey }),
    ...(passphrase !== '' && { passphrase }),
  }
}

const listMethods = (login: SshLogin | undefined): ('publickey' | 'password')[] => [
  ...(login?.privateKey ? (['publickey'] as const) : []),
  ...(login?.password ? (['password'] as const) : []),
]

/** Never rejects. */
export const askSsh = (question: SshQuestion): Promise<SshFinding> =>
  new Promise((resolve) => {
    const { login, timeoutMs, signal } = question
    const client = new Client()
    let [claimedKey, hostKey, refusal, output] = ['', '', '', '']
    let system: SshSystem | undefined
    let isOver = false
    let mayLogIn = false

    const finish = (): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      clearTimeout(beginTimer)
      signal.removeEventListener('abort', finish)
      client.destroy()
      resolve({ hostKey, system, refusal })
    }
    const timer = setTimeout(finish, timeoutMs)
    const beginTimer = setTimeout(finish, Math.min(BEGIN_MS, timeoutMs))
    signal.addEventListener('abort', finish)

    const read = (channel: ClientChannel, credentialId: string): void => {
      channel.on('data', (chunk: Buffer) => {
        output += chunk.toString('latin1')
        if (output.length > MOST_OUTPUT_BYTES) channel.close()
      })
      channel.stderr.on('data', () => {})
      channel.on('close', () => {
        system = parseSystem(output.slice(0, MOST_OUTPUT_BYTES), credentialId)
        finish()
      })
    }
    // Only at this point has the server proved that it owns the key.
    client.on('handshake', () => {
      hostKey = claimedKey
      refusal = getRefusal(question, hostKey)
      mayLogIn = login !== undefined && refusal === ''
      if (!mayLogIn) finish()
    })
    client.on('ready', () => {
      if (login === undefined || !mayLogIn) return finish()
      client.exec(COMMAND, (error, channel) => (error ? finish() : read(channel, login.credentialId)))
    })
    client.on('error', (error: Error & { level?: string }) => {
      if (error.level === 'client-authentication') refusal = 'the login was refused'
      finish()
    })
    client.on('close', finish)

    const methods = listMethods(login)
    const config = buildConfig(question, {
      hostVerifier: (key: Buffer) => {
        claimedKey = formatFingerprint(key)
        return true
      },
      authHandler: (_left, _partial, next) => {
        const method = mayLogIn ? methods.shift() : undefined
        // The types omit `false` for "no further method".
        next(method ?? (false as never))
      },
      debug: (message) => {
        if (message === HAS_BEGUN) clearTimeout(beginTimer)
      },
    })
    try {
      client.connect(config)
    } catch (error) {
      // A private key that cannot be read, for one.
      refusal = error instanceof Error ? cleanText(error.message, 200) : 'cannot connect'
      finish()
    }
  })
