/** The packs that an estate document names: those that are not installed are installed before its rows. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { PlannedChange } from '../apply/row.ts'
import type { Pack, Packs } from './files.ts'
import type { PackName } from './names.ts'
import { installPack, type Running } from './run-pack.ts'
import { PackState } from './state.ts'

/** Returns the named packs, each once. */
export const listPacks = (names: readonly PackName[], { findLatest }: Packs): readonly Pack[] =>
  [...new Set(names)].flatMap((name) => findLatest(name) ?? [])

/** Returns the packs that are not installed. */
export const findMissingPacks = async (ctx: Ctx, packs: readonly Pack[]): Promise<readonly Pack[]> => {
  if (packs.length === 0) return packs
  const state = await PackState.read(ctx)
  return packs.filter(({ name }) => state.findVersion(name) === undefined)
}

/** Installs the packs that are not installed. Returns the changes of their rows. */
export const installMissingPacks = async (
  running: Running,
  packs: readonly Pack[],
): Promise<readonly PlannedChange[]> => {
  const changes: PlannedChange[] = []
  for (const pack of await findMissingPacks(running.ctx, packs))
    changes.push(...(await installPack(running, pack)).changes)
  return changes
}
