/** Servers that share a database, as they hear of each other. What they are told is a hint: some of it may be lost. */

export type Peers = {
  /** Tells the others the names of what was committed here. Never waits and never fails; what comes together goes together. */
  readonly tell: (names: readonly string[]) => void
  readonly hear: (listener: PeerListener) => void
  /** False while nothing can be heard: then there is only looking for oneself. */
  readonly isHearing: () => boolean
}

export type PeerListener = {
  readonly heard: (names: readonly string[]) => void
  /** Something may have been told that was not heard: at the first connection, and at each new one. */
  readonly missed: () => void
}
