/** Describes this program to others that share its database: its version, and the newest migration that it knows. */
import type { Program } from '../platform/db/postgres/program-name.ts'
import { VERSION } from '../platform/runtime/version.ts'
import { migrations } from './index.ts'

export const PROGRAM: Program = {
  version: VERSION,
  level: Math.max(...migrations.map(({ name }) => Number.parseInt(name, 10))),
}
