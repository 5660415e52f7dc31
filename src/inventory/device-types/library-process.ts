/** Reads YAML of the community library in a process with bounds: a parser of YAML takes long for some small texts. */
import type { Bounds } from '../../base/child/bounds.ts'
import { createTextReader, type From } from '../../kernel/jobs/text-job.ts'
import type { LibraryType } from './library.ts'

/** The largest text takes 10 s, and more on a busy machine. */
const BOUNDS: Bounds = { ms: 120_000, memoryBytes: 512 * 2 ** 20, outputBytes: 64 * 2 ** 20 }
const MAX_WAITING = 8

/**
 * Reads all device types of a text.
 * @throws AppError as `readLibrary`; VALIDATION_ERROR on `yaml` at a bound of the process; UNAVAILABLE when too many wait
 */
export type ReadLibrary = (yaml: string, from: From) => Promise<LibraryType[]>

/** @param dir the folder of temporary files. @param given other bounds than the usual ones */
export const createLibraryReader = (dir: string, given: Partial<Bounds> = {}): ReadLibrary => {
  const bounds = { ...BOUNDS, ...given }
  const read = createTextReader<LibraryType>({
    command: 'device-types-child',
    bounds,
    field: 'yaml',
    dir,
    waiting: MAX_WAITING,
  })
  return (yaml, from) => read(yaml, {}, from)
}
