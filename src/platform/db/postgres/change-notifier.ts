/**
 * PostgreSQL carries messages between the servers that use one database. They are sent after the commit and not in it: a
 * transaction that notifies holds up every other one that does until it has reached the disk.
 */
import type { SQL } from 'bun'
import type { PeerListener, Peers } from '../change-notifier.ts'

const CHANNEL = 'plat_committed'
/** A payload has 8,000 bytes at most; names have some dozens. */
const NAMES_AT_ONCE = 100
/** Messages follow each other no closer than this. */
const PAUSE_MS = 20
const RETRY_MS = 1000

export type PostgresPeers = Peers & { readonly close: () => Promise<void> }

/**
 * @param connect makes a client for what is heard, which has one connection and tells when that is lost. It is not used after
 * that: its own reconnecting writes to the terminal.
 */
export const postgresPeers = (
  sending: Pick<SQL, 'notify'>,
  connect: (lost: () => void) => Pick<SQL, 'listen' | 'close'>,
): PostgresPeers => {
  const me = Bun.randomUUIDv7()
  const waiting = new Set<string>()
  const listeners: PeerListener[] = []
  let isSending = false
  let isHearing = false
  let isClosed = false

  const send = async (): Promise<void> => {
    while (waiting.size > 0 && !isClosed) {
      const names = [...waiting].slice(0, NAMES_AT_ONCE)
      for (const name of names) waiting.delete(name)
      await sending.notify(CHANNEL, `${me} ${names.join(',')}`)
      await Bun.sleep(PAUSE_MS)
    }
  }

  const tell: Peers['tell'] = (names) => {
    for (const name of names) waiting.add(name)
    if (isSending || isClosed || waiting.size === 0) return
    isSending = true
    send()
      // The database is away: whoever listened is not connected either, and looks for itself when it is back.
      .catch(() => waiting.clear())
      .finally(() => {
        isSending = false
        tell([])
      })
  }

  const heard = (payload: string): void => {
    const at = payload.indexOf(' ')
    if (payload.slice(0, at) === me) return
    const names = payload.slice(at + 1).split(',')
    for (const listener of listeners) listener.heard(names)
  }

  const missed = (): void => {
    if (isClosed) return
    isHearing = true
    for (const listener of listeners) listener.missed()
  }

  let client: ReturnType<typeof connect> | undefined
  /** One that is gone has nothing to close in order. */
  const drop = async (): Promise<void> => {
    isHearing = false
    await client?.close({ timeout: 0 }).catch(() => {})
    client = undefined
  }
  const subscribe = (): void => {
    let isLost = false
    const lost = (): void => {
      if (isLost || isClosed) return
      isLost = true
      void drop().then(() => setTimeout(subscribe, RETRY_MS).unref())
    }
    client = connect(lost)
    client.listen(CHANNEL, heard, missed).catch(lost)
  }

  return {
    tell,
    hear: (listener) => {
      listeners.push(listener)
      if (listeners.length === 1) subscribe()
    },
    isHearing: () => isHearing,
    close: () => {
      isClosed = true
      return drop()
    },
  }
}
