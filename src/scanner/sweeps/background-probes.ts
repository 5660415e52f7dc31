/** Probes that continue while the next stage runs: hosts that answer late are reported as they answer. */

export type BackgroundProbes = {
  readonly add: (probes: Promise<void>) => void
  /** True when all of them have ended. */
  readonly isOver: () => boolean
  /** Waits for all of them. */
  readonly settle: () => Promise<void>
}

export const createBackgroundProbes = (): BackgroundProbes => {
  const running = new Set<Promise<void>>()
  return {
    add: (probes) => {
      const watched = probes.finally(() => running.delete(watched))
      running.add(watched)
    },
    isOver: () => running.size === 0,
    settle: async () => {
      await Promise.all(running)
    },
  }
}
