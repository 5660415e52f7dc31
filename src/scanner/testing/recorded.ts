/** Reads the recorded SNMP agents, `recorded/README.md`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @returns one value for each line. The caller knows the shape of the lines of the file. */
export const readRecorded = <Line>(name: string): Line[] =>
  readFileSync(join(import.meta.dir, 'recorded', name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
