/** Writes the search texts of devices again that a program has written which knew fewer fields. */
import { type SqlBool, sql } from 'kysely'
import { pause } from '../../../base/runtime/pause.ts'
import type { Ctx, Feature } from '../../../kernel/ctx.ts'
import { lockCustomOfDevices } from '../custom.ts'
import { deviceStore } from '../row-store.ts'

const AT_ONCE = 100

/** The condition of the index `devices_older_search`. */
const isOlder = sql<SqlBool>`substr(search_text, 1, 1) <> ${sql.lit('\n')}`

const findOlder = ({ db }: Pick<Ctx, 'db'>) =>
  db.selectFrom('devices').select('id').where(isOlder).limit(AT_ONCE).execute()

/** Writes some of the texts again. Returns false if there was none. */
const refreshSome = async (ctx: Ctx): Promise<boolean> => {
  await lockCustomOfDevices(ctx)
  const devices = await deviceStore.lockAll(
    ctx,
    (await findOlder(ctx)).map(({ id }) => id),
  )
  await deviceStore.writeSilently(ctx, devices)
  return devices.length > 0
}

/** Programs of two releases may share a database for minutes. */
const EVERY_MS = 60_000

export const refreshTexts: NonNullable<Feature['jobs']>[number] = {
  name: 'devices.search-texts',
  summary: 'Writes search texts of devices again that an earlier version has written',
  everyMs: EVERY_MS,
  runsAtStart: true,
  run: async (ctx) => {
    if ((await findOlder(ctx)).length === 0) return
    while (await ctx.write(refreshSome)) await pause()
  },
}
