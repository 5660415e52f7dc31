/**
 * Notifies the servers that share a PostgreSQL database, by LISTEN and NOTIFY. NOTIFY runs after the commit and not in it:
 * a transaction that notifies holds a global lock until its commit is on disk.
 */
import type { SQL } from 'bun'
import type { ChangeListener, ChangeNotifier } from '../change-notifier.ts'

const CHANNEL = 'plat_committed'
/** A payload has at most 8,000 bytes; a name has a few dozen. */
const NAMES_AT_ONCE = 100
/** Minimum interval between messages. */
const PAUSE_MS = 20
const RETRY_MS = 1000

export type PostgresChangeNotifier = ChangeNotifier & {
  /** Closes the connection, which is opened again soon. */
  readonly drop: () => void
  readonly close: () => Promise<void>
}

/** @param connect creates a client or throws; it is dropped when lost, because its own reconnection writes to the terminal */
export const createPostgresChangeNotifier = (
  sending: Pick<SQL, 'notify'>,
  connect: (lost: () => void) => Pick<SQL, 'listen' | 'close'>,
): PostgresChangeNotifier => {
  const me = Bun.randomUUIDv7()
  const waiting = new Set<string>()
  const listeners: ChangeListener[] = []
  let isSending = false
  let isConnected = false
  let isClosed = false

  const send = async (): Promise<void> => {
    while (waiting.size > 0 && !isClosed) {
      const names = [...waiting].slice(0, NAMES_AT_ONCE)
      for (const name of names) waiting.delete(name)
      await sending.notify(CHANNEL, `${me} ${names.join(',')}`)
      await Bun.sleep(PAUSE_MS)
    }
  }

  const publish: ChangeNotifier['publish'] = (names) => {
    for (const name of names) waiting.add(name)
    if (isSending || isClosed || waiting.size === 0) return
    isSending = true
    send()
      // The database is unreachable. The listeners are disconnected too, and get `onGap` when they reconnect.
      .catch(() => waiting.clear())
      .finally(() => {
        isSending = false
        publish([])
      })
  }

  const receive = (payload: string): void => {
    const at = payload.indexOf(' ')
    if (payload.slice(0, at) === me) return
    const names = payload.slice(at + 1).split(',')
    for (const listener of listeners) listener.onChange(names)
  }

  const listening = (): void => {
    if (isClosed) return
    isConnected = true
    for (const listener of listeners) listener.onGap()
  }

  let client: ReturnType<typeof connect> | undefined
  let drop = (): void => {}
  /** The connection may be lost already: close without waiting. */
  const disconnect = async (): Promise<void> => {
    isConnected = false
    await client?.close({ timeout: 0 }).catch(() => {})
    client = undefined
  }
  const connectListener = (): void => {
    let isLost = false
    const lost = (): void => {
      if (isLost || isClosed) return
      isLost = true
      void disconnect().then(() => setTimeout(connectListener, RETRY_MS).unref())
    }
    drop = lost
    try {
      client = connect(lost)
      client.listen(CHANNEL, receive, listening).catch(lost)
    } catch {
      // There is no server to connect to.
      lost()
    }
  }

  return {
    publish,
    subscribe: (listener) => {
      listeners.push(listener)
      if (listeners.length === 1) connectListener()
    },
    isConnected: () => isConnected,
    drop: () => drop(),
    close: () => {
      isClosed = true
      return disconnect()
    },
  }
}
