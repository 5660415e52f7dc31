/** Maps many rows without holding the event loop. */
import type { Breathe } from '../../base/runtime/pause.ts'

export const mapBreathing = async <T, U>(items: readonly T[], breathe: Breathe, map: (item: T) => U): Promise<U[]> => {
  const mapped: U[] = []
  for (const item of items) {
    mapped.push(map(item))
    await breathe()
  }
  return mapped
}
