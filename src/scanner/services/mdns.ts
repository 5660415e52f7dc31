/** Reads names that hosts of a link announce by multicast DNS (RFC 6762, RFC 6763): asked once for all, from an own port. */
import { createSocket, type Socket } from 'node:dgram'
import { type Answer, decode, encode, type Question } from 'dns-packet'
import { parseMac } from '../../net/mac.ts'
import { sendDatagram } from '../sys/send-datagram.ts'
import { cleanText } from './clean-text.ts'

export type MdnsFinding = {
  /** The name before `.local`. */
  readonly name: string
  readonly mac: string
  readonly model: string
  /** `_ipp._tcp` and the like. */
  readonly kinds: readonly string[]
}

export type MdnsQuestion = {
  /** Our address on the link. */
  readonly from: string
  readonly waitMs: number
  readonly signal: AbortSignal
  readonly onFinding: (ip: string, finding: MdnsFinding) => void
}

const GROUP = '224.0.0.251'
const PORT = 5353
/** RFC 6762 section 11. */
const HOPS = 255
const ASK_TIMES = 2

/** The kinds of service that tell most about a device. */
const KINDS = [
  '_services._dns-sd._udp',
  '_workstation._tcp',
  '_device-info._tcp',
  '_ipp._tcp',
  '_ipps._tcp',
  '_printer._tcp',
  '_pdl-datastream._tcp',
  '_http._tcp',
  '_https._tcp',
  '_ssh._tcp',
  '_sftp-ssh._tcp',
  '_smb._tcp',
  '_afpovertcp._tcp',
  '_airplay._tcp',
  '_raop._tcp',
  '_googlecast._tcp',
  '_hap._tcp',
  '_homekit._tcp',
  '_rfb._tcp',
  '_nut._tcp',
  '_adisk._tcp',
  '_axis-video._tcp',
]
const MOST_KINDS = 32

const buildQuestion = (): Buffer =>
  encode({
    type: 'query',
    // A query from a port other than 5353 is a legacy query: only that port receives the answer (section 6.7).
    id: Math.floor(Math.random() * 0xffff),
    questions: KINDS.map((kind): Question => ({ type: 'PTR', name: `${kind}.local`, class: 'IN' })),
  })

const localName = (name: string): string => cleanText(name.replace(/\.local\.?$/i, ''), 120)

const getTexts = (answer: Answer): string[] => {
  if (answer.type !== 'TXT') return []
  const parts = Array.isArray(answer.data) ? answer.data : [answer.data]
  return parts.map((part) => (typeof part === 'string' ? part : part.toString('utf8')))
}

/** `ty` of printers, `model` of Apple, `md` of cast and home devices. */
const findModel = (answers: readonly Answer[]): string => {
  for (const text of answers.flatMap(getTexts)) {
    const model = /^(?:ty|model|md|usb_MDL)=(.+)$/.exec(text)?.[1]
    if (model) return cleanText(model, 120)
  }
  return ''
}

/** RFC 6762 section 17. To decode 60,000 bytes of pointers that lead to pointers takes more than 0.1 s. */
const MESSAGE_MAX = 9000
/** Most messages of one sender that are read: a host answers each question with a few. */
const MOST_MESSAGES = 64
/** Most senders. */
const MOST_SENDERS = 65_536

/** Returns a function that is true for the first messages of each sender. */
export const createMdnsLimit = (): ((address: string) => boolean) => {
  const counts = new Map<string, number>()
  return (address) => {
    const count = counts.get(address) ?? 0
    if (count === MOST_MESSAGES || (count === 0 && counts.size === MOST_SENDERS)) return false
    counts.set(address, count + 1)
    return true
  }
}

/** @returns undefined for a message without facts about its sender, and for one beyond the limit of the protocol */
export const readMdns = (message: Buffer, ip: string): MdnsFinding | undefined => {
  if (message.length > MESSAGE_MAX) return undefined
  const packet = decode(message)
  if (packet.type !== 'response') return undefined
  const answers = [...(packet.answers ?? []), ...(packet.additionals ?? [])]
  // A name counts only for the host that claims it.
  const own = answers.find((one) => (one.type === 'A' || one.type === 'AAAA') && one.data === ip)
  const kinds = new Set<string>()
  let mac = ''
  for (const answer of answers) {
    if (answer.type !== 'PTR') continue
    const kind = /^(_[\w-]+\._(?:tcp|udp))\.local\.?$/i.exec(answer.name)?.[1] ?? ''
    const told = /^(_[\w-]+\._(?:tcp|udp))\.local\.?$/i.exec(answer.data)?.[1]
    if (told) kinds.add(told.toLowerCase())
    else if (kind !== '') kinds.add(kind.toLowerCase())
    if (kind === '_workstation._tcp') mac = parseMac(/\[([0-9a-f:]{17})\]/i.exec(answer.data)?.[1] ?? '') ?? mac
  }
  kinds.delete('_services._dns-sd._udp')
  const finding = {
    name: own ? localName(own.name) : '',
    mac,
    model: findModel(answers),
    kinds: [...kinds].slice(0, MOST_KINDS),
  }
  return finding.name || finding.mac || finding.model || finding.kinds.length > 0 ? finding : undefined
}

const openSocket = (from: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => resolve(undefined))
    socket.bind(0, () => {
      socket.on('error', () => {})
      try {
        socket.setMulticastInterface(from)
        socket.setMulticastTTL(HOPS)
        resolve(socket)
      } catch {
        // The interface went away, or takes no multicast.
        socket.close()
        resolve(undefined)
      }
    })
  })

export const askMdns = async ({ from, waitMs, signal, onFinding }: MdnsQuestion): Promise<void> => {
  const socket = await openSocket(from)
  if (socket === undefined) return
  const isRead = createMdnsLimit()
  socket.on('message', (message, { address }) => {
    if (!isRead(address)) return
    try {
      const finding = readMdns(message, address)
      if (finding) onFinding(address, finding)
    } catch {
      // Made to be unreadable; as good as none.
    }
  })
  const query = buildQuestion()
  for (let time = 0; time < ASK_TIMES && !signal.aborted; time++) {
    sendDatagram(socket, { message: query, port: PORT, address: GROUP })
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, waitMs / ASK_TIMES)
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
    })
  }
  socket.close()
}
