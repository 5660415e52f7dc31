/**
 * The program as a later release has it: with one more migration. The first argument is its floor. The migration changes busy tables.
 */

import type { Migration } from '../../src/database/migrate.ts'
import { migrations } from '../../src/database/migrations/index.ts'

const [floor, ...command] = process.argv.slice(2)
if (floor !== 'this' && floor !== 'unchanged') throw new Error('the first argument is the floor: this or unchanged')

const later: Migration = {
  name: '9990-later',
  floor,
  statements: () => [
    'CREATE TABLE later (id TEXT PRIMARY KEY)',
    'ALTER TABLE users ADD COLUMN later TEXT',
    'ALTER TABLE api_keys ADD COLUMN later TEXT',
    'ALTER TABLE devices ADD COLUMN later TEXT',
  ],
  concurrently: () => [{ name: 'devices_later', on: 'devices (later)' }],
}
// The registry is a constant of the program. The program counts it when it is loaded, so it gets longer before that.
;(migrations as Migration[]).push(later)
process.argv.splice(2, process.argv.length, ...command)
await import('../../src/main.ts')
