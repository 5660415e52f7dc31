/**
 * Runs many TCP connects concurrently, each with a timeout: open, refused or silent. Sends and reads no data, and knows
 * nothing of scans. Uses the C library, because Bun cannot abort a connect, which keeps its descriptor.
 */
import { readFileSync } from 'node:fs'
import {
  AF_INET,
  AF_INET6,
  ECONNREFUSED,
  ECONNRESET,
  EINPROGRESS,
  encodeInt32,
  isNotSent,
  type Libc,
  readErrno,
  SO_ERROR,
  SO_LINGER,
  SOCK_CLOEXEC,
  SOCK_NONBLOCK,
  SOCK_STREAM,
  SOL_SOCKET,
} from '../sys/libc.ts'
import { createSocketAddress } from '../sys/socket-address.ts'
import type { Targets } from '../targets.ts'

/** `not-sent`: the machine was out of descriptors or buffers; nothing is known. */
export type ConnectResult = 'open' | 'refused' | 'silent' | 'not-sent'

export type Attempt = {
  readonly index: number
  readonly port: number
  readonly timeoutMs: number
  readonly onResult: (result: ConnectResult, ms: number) => void
}

export type TcpConnector = {
  /** Starts one. The result comes with a later `poll`, or at once when it could not be sent. */
  readonly connect: (attempt: Attempt) => void
  /** Reports answered and overdue attempts. */
  readonly poll: () => void
  readonly active: () => number
  /** How many may be under way; shrinks when the machine is out of descriptors. */
  readonly capacity: () => number
  /** Gives up all of them; no result comes after it. */
  readonly close: () => void
}

const POLLOUT = 4
const POLLERR = 8
const POLLHUP = 16
const POLLFD_SIZE = 8
const LEAST_CAPACITY = 8

/** Descriptors that are left for other code, and the share of the rest that one scan uses. */
const KEPT_DESCRIPTORS = 256

/** Most descriptors that probes may hold, from the limit of the process. */
export const computeDescriptorBudget = (limits = readLimits()): number => {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return soft === undefined ? 128 : Math.max(LEAST_CAPACITY, Math.floor((Number(soft) - KEPT_DESCRIPTORS) / 2))
}

const readLimits = (): string => {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    // Not Linux: the careful guess above.
    return ''
  }
}

type Slot = { readonly attempt: Attempt; readonly startedAtMs: number }

export const createTcpConnector = (c: Libc, targets: Targets, wanted: number): TcpConnector => {
  const size = Math.min(wanted, computeDescriptorBudget())
  let capacity = size
  const polled = Buffer.alloc(size * POLLFD_SIZE)
  const slots: (Slot | undefined)[] = new Array(size).fill(undefined)
  const free = Array.from({ length: size }, (_, i) => size - 1 - i)
  for (let i = 0; i < size; i++) polled.writeInt32LE(-1, i * POLLFD_SIZE)

  const address = createSocketAddress(targets)
  const domain = targets.family === 4 ? AF_INET : AF_INET6
  // Closed by a reset: hundreds of sockets in TIME_WAIT would be left on both ends otherwise.
  const reset = Buffer.concat([encodeInt32(1), encodeInt32(0)])
  const error = Buffer.alloc(4)
  const errorSize = Buffer.alloc(4)

  const getDescriptor = (slot: number): number => polled.readInt32LE(slot * POLLFD_SIZE)

  const finish = (at: number, result: ConnectResult): void => {
    const slot = slots[at]
    if (slot === undefined) return
    if (result === 'open') c.setsockopt(getDescriptor(at), SOL_SOCKET, SO_LINGER, reset, 8)
    c.close(getDescriptor(at))
    polled.writeInt32LE(-1, at * POLLFD_SIZE)
    slots[at] = undefined
    free.push(at)
    slot.attempt.onResult(result, performance.now() - slot.startedAtMs)
  }

  const notSent = ({ onResult }: Attempt): void => {
    capacity = Math.max(LEAST_CAPACITY, Math.floor((size - free.length) / 2))
    onResult('not-sent', 0)
  }

  const readResult = (at: number, events: number): ConnectResult => {
    errorSize.writeUInt32LE(4)
    c.getsockopt(getDescriptor(at), SOL_SOCKET, SO_ERROR, error, errorSize)
    const code = error.readInt32LE()
    if (code === ECONNREFUSED) return 'refused'
    // A reset comes after it was open: before that it is a refusal.
    if (code === ECONNRESET) return 'open'
    return code === 0 && (events & (POLLHUP | POLLERR)) === 0 ? 'open' : 'silent'
  }

  return {
    active: () => size - free.length,
    capacity: () => capacity,
    connect: (attempt) => {
      const fd = c.socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
      const at = fd < 0 ? undefined : free.pop()
      if (at === undefined) {
        if (fd >= 0) c.close(fd)
        return notSent(attempt)
      }
      address.set(attempt.index, attempt.port)
      polled.writeInt32LE(fd, at * POLLFD_SIZE)
      // The event of an earlier attempt in the same slot must not be read as the answer of this one.
      polled.writeUInt32LE(POLLOUT, at * POLLFD_SIZE + 4)
      slots[at] = { attempt, startedAtMs: performance.now() }
      if (c.connect(fd, address.bytes, address.bytes.length) === 0) return finish(at, 'open')
      const errno = readErrno(c)
      if (errno === EINPROGRESS) return
      if (errno === ECONNREFUSED) return finish(at, 'refused')
      if (!isNotSent(errno)) return finish(at, 'silent')
      c.close(fd)
      polled.writeInt32LE(-1, at * POLLFD_SIZE)
      slots[at] = undefined
      free.push(at)
      notSent(attempt)
    },
    poll: () => {
      if (free.length === size) return
      const ready = c.poll(polled, size, 0)
      const now = performance.now()
      for (let at = 0; at < size; at++) {
        const slot = slots[at]
        if (slot === undefined) continue
        const events = ready > 0 ? polled.readUInt16LE(at * POLLFD_SIZE + 6) : 0
        if (events !== 0) finish(at, readResult(at, events))
        else if (now - slot.startedAtMs > slot.attempt.timeoutMs) finish(at, 'silent')
      }
    },
    close: () => {
      for (let at = 0; at < size; at++) {
        if (slots[at] === undefined) continue
        c.close(getDescriptor(at))
        polled.writeInt32LE(-1, at * POLLFD_SIZE)
        slots[at] = undefined
        free.push(at)
      }
    },
  }
}
