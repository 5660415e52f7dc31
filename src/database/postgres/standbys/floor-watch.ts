/**
 * Notices that a newer program has raised the floor of the database above what this program knows. That program did
 * not see this one, which had no connection then.
 */
import { AppError } from '../../../contract/errors.ts'

const EVERY_MS = 10_000

/** Computes `floorOf` in SQL. */
export const FLOOR = `SELECT coalesce(max(coalesce(nullif(floor, ''), name) COLLATE "C"), '') AS floor FROM migrations`

export type FloorWatch = {
  /**
   * Checks from now on. @param known the names of the migrations that this program knows
   * @param onOutdated called once
   */
  readonly start: (known: readonly string[], onOutdated: () => void) => void
  /** Checks at once, if it has started. @throws AppError UNAVAILABLE if the floor is not known, from then on for ever */
  readonly check: () => Promise<void>
  /** Runs `work` unless the floor is too high. @throws AppError UNAVAILABLE */
  readonly whenKnown: <T>(work: () => Promise<T>) => Promise<T>
  readonly stop: () => void
}

/** @param readFloor asks the database */
export const createFloorWatch = (readFloor: () => Promise<string>, everyMs: number = EVERY_MS): FloorWatch => {
  let known: ReadonlySet<string> | undefined
  let outdated = (): void => {}
  let isOutdated = false
  let timer: Timer | undefined

  const refusal = (): AppError => new AppError('UNAVAILABLE', 'The database needs a newer Plat')
  const check = async (): Promise<void> => {
    if (isOutdated) throw refusal()
    if (!known) return
    const floor = await readFloor()
    if (floor === '' || known.has(floor)) return
    // One of several concurrent checks reports it.
    if (!isOutdated) outdated()
    isOutdated = true
    clearInterval(timer)
    throw refusal()
  }

  return {
    start: (names, onOutdated) => {
      known = new Set(names)
      outdated = onOutdated
      clearInterval(timer)
      // A database that is away is checked again at the next connection.
      timer = setInterval(() => void check().catch(() => {}), everyMs)
      timer.unref()
    },
    check,
    whenKnown: (work) => (isOutdated ? Promise.reject(refusal()) : work()),
    stop: () => clearInterval(timer),
  }
}
