/** One short TCP conversation with a possibly hostile host, within limits of time and size. */
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

export const MOST_BYTES = 16 * 1024

export type Question = {
  readonly ip: string
  readonly port: number
  readonly isTls: boolean
  /** Sent when the host has been silent for some time. Undefined: nothing is ever sent. */
  readonly probe: Uint8Array | undefined
  readonly quietMs: number
  readonly totalMs: number
  /** Ends it before its time. */
  readonly isEnough: (bytes: Buffer) => boolean
  readonly signal: AbortSignal
}

export type Certificate = {
  readonly sha256: string
  readonly subject: string
  readonly issuer: string
  /** DNS names and addresses it is for. */
  readonly names: readonly string[]
  readonly validTo: string
}

export type Answer = {
  readonly isConnected: boolean
  readonly bytes: Buffer
  /** The host ended it, and not we. */
  readonly isHungUp: boolean
  readonly certificate: Certificate | undefined
  /** `TLSv1.3`; empty without TLS. */
  readonly tlsVersion: string
}

const MOST_NAMES = 50

const getName = (entity: { CN?: string | string[]; O?: string | string[] } | undefined): string => {
  const text = entity?.CN ?? entity?.O ?? ''
  return Array.isArray(text) ? (text[0] ?? '') : text
}

const readCertificate = (socket: TLSSocket): Certificate | undefined => {
  // The types say that it is always there; a server may have none.
  const peer: Partial<ReturnType<TLSSocket['getPeerCertificate']>> | null = socket.getPeerCertificate()
  if (!peer?.raw) return undefined
  const names = (peer.subjectaltname ?? '')
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? [])
  return {
    sha256: new Bun.CryptoHasher('sha256').update(peer.raw).digest('hex'),
    subject: getName(peer.subject),
    issuer: getName(peer.issuer),
    names: names.slice(0, MOST_NAMES),
    validTo: peer.valid_to ?? '',
  }
}

const open = ({ ip, port, isTls }: Question): Socket =>
  isTls
    ? // The certificate is recorded, not trusted, and devices with old TLS versions must be found too.
      connectTls({ host: ip, port, rejectUnauthorized: false, minVersion: 'TLSv1' })
    : connectPlain({ host: ip, port })

/** Never rejects: a host without an answer yields an empty one. */
export const converse = (question: Question): Promise<Answer> =>
  new Promise((resolve) => {
    const { isTls, probe, quietMs, totalMs, isEnough, signal } = question
    const chunks: Buffer[] = []
    let [size, isConnected, isOver, isHungUp] = [0, false, false, false]
    let certificate: Certificate | undefined
    let tlsVersion = ''
    let quietTimer: ReturnType<typeof setTimeout> | undefined
    const socket = open(question)

    const finish = (): void => {
      if (isOver) return
      isOver = true
      clearTimeout(totalTimer)
      clearTimeout(quietTimer)
      signal.removeEventListener('abort', finish)
      socket.destroy()
      resolve({ isConnected, bytes: Buffer.concat(chunks), isHungUp, certificate, tlsVersion })
    }
    const ask = (): void => {
      if (probe && !isOver) socket.write(probe)
    }
    const begin = (): void => {
      isConnected = true
      if (socket instanceof Object && isTls) {
        // `open` has made it by `node:tls`.
        const secure = socket as TLSSocket
        certificate = readCertificate(secure)
        tlsVersion = secure.getProtocol() ?? ''
      }
      if (probe && quietMs === 0) ask()
      else if (probe) quietTimer = setTimeout(ask, quietMs)
    }

    const totalTimer = setTimeout(finish, totalMs)
    signal.addEventListener('abort', finish)
    if (signal.aborted) finish()
    socket.on(isTls ? 'secureConnect' : 'connect', begin)
    const hangUp = (): void => {
      isHungUp = !isOver
      finish()
    }
    socket.on('error', hangUp)
    socket.on('close', hangUp)
    socket.on('end', hangUp)
    socket.on('data', (chunk: Buffer) => {
      // The banner is the answer; no probe is needed.
      clearTimeout(quietTimer)
      chunks.push(chunk.subarray(0, MOST_BYTES - size))
      size += Math.min(chunk.length, MOST_BYTES - size)
      if (size >= MOST_BYTES || isEnough(Buffer.concat(chunks))) finish()
    })
  })
