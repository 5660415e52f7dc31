/**
 * The floor of a database: the newest migration that a program must know to work on it. A program that knows it works
 * beside newer ones, although the database has migrations that it does not know.
 */
import type { OtherProgram } from './database.ts'

/**
 * How a migration changes the floor. `unchanged`: it only adds what older programs need not know, so that they go on
 * beside it. `this`: all programs must know it. A name: all must know that migration, as what this one takes away is
 * unused since then.
 */
export type Floor = 'unchanged' | 'this' | `${number}-${string}`

/** A migration as the database records it. */
export type Applied = {
  readonly name: string
  readonly checksum: string
  /** The floor since it was applied; '' if the migration has none. Absent if only one program may use the database. */
  readonly floor?: string
}

type Step = { readonly name: string; readonly floor?: Floor | undefined }

const highest = (one: string, other: string): string => (one > other ? one : other)

/** @returns the floor of a database, '' if it is empty. A migration without a floor must be known. */
export const computeFloor = (applied: readonly Pick<Applied, 'name' | 'floor'>[]): string =>
  applied.reduce((floor, { name, floor: own }) => highest(floor, own || name), '')

/** @returns the floor after a migration of a database with the floor `before` */
export const computeFloorAfter = ({ name, floor }: Step, before: string): string => {
  if (floor === 'unchanged') return before
  return highest(before, floor === undefined || floor === 'this' ? name : floor)
}

/** @returns the number of a migration, by which programs tell what they know */
export const parseLevel = (name: string): number => Number.parseInt(name, 10)

export type Obstacle = { readonly migration: string; readonly programs: readonly OtherProgram[] }

/** Returns the first migration that raises the floor above what other programs know, and these programs. */
export const findObstacle = (
  pending: readonly Step[],
  { floor, programs }: { readonly floor: string; readonly programs: readonly OtherProgram[] },
): Obstacle | undefined => {
  let before = floor
  for (const step of pending) {
    const after = computeFloorAfter(step, before)
    const older =
      after === before ? [] : programs.filter(({ level }) => level === undefined || level < parseLevel(after))
    if (older.length > 0) return { migration: step.name, programs: older }
    before = after
  }
  return undefined
}

/** @example '0.1.0 at 10.0.0.5 since 2026-01-02T03:04:05.678Z' */
const formatProgram = ({ version, address, since }: OtherProgram): string =>
  [version ?? 'an earlier version', ...(address ? [`at ${address}`] : []), ...(since ? [`since ${since}`] : [])].join(
    ' ',
  )

/** @example '0059-x cannot be done beside older Plats: 0.1.0 at 10.0.0.5 since 2026-01-02T03:04:05.678Z' */
export const formatObstacle = ({ migration, programs }: Obstacle): string =>
  `${migration} cannot be done beside older Plats: ${programs.map(formatProgram).join(', ')}`
