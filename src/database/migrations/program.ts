/** Describes this program to others that share its database: its version, and the newest migration that it knows. */

import { VERSION } from '../../base/runtime/version.ts'
import type { Program } from '../postgres/connections/program-name.ts'
import { migrations } from './index.ts'

export const PROGRAM: Program = {
  version: VERSION,
  level: Math.max(...migrations.map(({ name }) => Number.parseInt(name, 10))),
}
