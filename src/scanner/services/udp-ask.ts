/** Sends one UDP request to many hosts over one socket. Answers must match by address and content. */
import { createSocket, type Socket } from 'node:dgram'
import { type Pacer, waitForTick } from '../sweeps/pacer.ts'
import { sendDatagram } from '../sys/send-datagram.ts'
import type { Targets } from '../targets.ts'

export type UdpQuestion = {
  readonly targets: Targets
  readonly port: number
  readonly hosts: readonly number[]
  readonly tries: number
  readonly waitMs: number
  readonly pacer: Pacer
  readonly signal: AbortSignal
  readonly questionFor: (index: number) => Uint8Array
  /** @returns false when it is no answer to the question */
  readonly onAnswer: (index: number, message: Buffer) => boolean
  readonly onSent: () => void
}

const openSocket = (family: 4 | 6): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = createSocket(family === 4 ? 'udp4' : 'udp6')
    socket.once('error', () => resolve(undefined))
    socket.bind(0, () => {
      // The ICMP error of a host must not end the questions to the others.
      socket.on('error', () => {})
      resolve(socket)
    })
  })

/** Ends when all have answered, or the wait after the last try is over. */
export const askByUdp = async (question: UdpQuestion): Promise<void> => {
  const { targets, port, hosts, tries, waitMs, pacer, signal, questionFor, onAnswer, onSent } = question
  const socket = await openSocket(targets.family)
  if (socket === undefined) return
  const left = new Set(hosts)
  socket.on('message', (message, { address }) => {
    const index = targets.indexOf(address)
    if (index === undefined || !left.has(index)) return
    try {
      if (onAnswer(index, message)) left.delete(index)
    } catch {
      // Made to be unreadable; as good as none.
    }
  })
  try {
    for (let attempt = 0; attempt < tries && left.size > 0 && !signal.aborted; attempt++) {
      const waiting = [...left]
      for (let at = 0; at < waiting.length && !signal.aborted; ) {
        for (let budget = pacer.take(); budget > 0 && at < waiting.length; budget--, at++) {
          const index = waiting[at]
          if (index === undefined || !targets.has(index)) continue
          sendDatagram(socket, { message: questionFor(index), port, address: targets.formatAddress(index) })
          onSent()
        }
        await waitForTick()
      }
      const until = performance.now() + waitMs
      while (performance.now() < until && left.size > 0 && !signal.aborted) await waitForTick()
    }
  } finally {
    socket.close()
  }
}
