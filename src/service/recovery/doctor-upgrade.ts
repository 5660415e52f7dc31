/** Tells before an upgrade on PostgreSQL if older instances may go on beside this release. */

import { toTextOrNull } from '../../contract/unknown.ts'
import type { OtherProgram } from '../../database/database.ts'
import { type Applied, computeFloor, findObstacle, formatObstacle, parseLevel } from '../../database/floors.ts'
import { getDdl, listPending } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { PROGRAMS, toOtherPrograms } from '../../database/postgres/connections/programs.ts'
import type { Query } from './doctor-data.ts'
import { type Finding, ok, warning } from './finding.ts'

export type AppliedRow = Applied & { readonly knowsFloors: boolean }

/** Returns the applied migrations; none of an empty database. */
export const loadApplied = async (query: Query): Promise<AppliedRow[]> => {
  const [row] = await query("SELECT to_regclass('migrations') IS NOT NULL AS is_there")
  if (row?.is_there !== true) return []
  // Programs before 0059 have made the table without the floor.
  const rows = await query(
    "SELECT name, checksum, to_jsonb(migrations) ->> 'floor' AS floor FROM migrations ORDER BY name",
  )
  return rows.map(({ name, checksum, floor }) => ({
    name: String(name),
    checksum: String(checksum),
    floor: toTextOrNull(floor) ?? '',
    knowsFloors: floor !== null,
  }))
}

const findOtherPrograms = async (query: Query): Promise<OtherProgram[]> =>
  toOtherPrograms(
    (await query(PROGRAMS)).map(({ name, address, since, is_this }) => ({
      name: String(name),
      address: String(address),
      since: String(since),
      is_this: is_this === true,
    })),
  )

/** @returns nothing if there is nothing to migrate */
export const checkUpgrade = async (query: Query, applied: readonly AppliedRow[]): Promise<Finding[]> => {
  const pending = listPending(migrations, applied, getDdl('postgres'))
  const last = applied.at(-1)
  if (pending.length === 0 || !last) return []
  const advice = 'stop the old instances first'
  const floor = computeFloor(applied)
  const obstacle = findObstacle(pending, { floor, programs: await findOtherPrograms(query) })
  if (obstacle) return [warning('upgrade', formatObstacle(obstacle), advice)]
  // Instances of the release that has migrated the database may be down at the moment.
  const usual = { version: undefined, level: parseLevel(last.name), address: '', since: '' }
  const later = findObstacle(pending, { floor, programs: [usual] })
  if (later) return [warning('upgrade', `${later.migration} cannot be done beside older Plats`, advice)]
  const message = 'this release can roll: old instances go on until they are replaced'
  return [ok('upgrade', last.knowsFloors ? message : `${message}, but cannot start again`)]
}
