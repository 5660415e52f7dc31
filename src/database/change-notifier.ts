/** Notifications of commits between the servers that share a database. They are hints: some may be lost. */

export type ChangeNotifier = {
  /** Sends the names of committed events to the other servers. Never waits and never fails; calls in quick succession share a message. */
  readonly publish: (names: readonly string[]) => void
  readonly subscribe: (listener: ChangeListener) => void
  /** False while notifications cannot arrive: poll instead. */
  readonly isConnected: () => boolean
}

export type ChangeListener = {
  readonly onChange: (names: readonly string[]) => void
  /** Notifications may have been lost. Called after the first connection and after each reconnection. */
  readonly onGap: () => void
}
