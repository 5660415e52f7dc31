/** The handlers of packs. */
import { notFound } from '../../contract/errors.ts'
import { countByKind } from '../../inventory/kinds/store.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listValues } from '../../kernel/list.ts'
import type { Means } from '../../record/history/kinds.ts'
import { type PackWithRows, packs, type Pack as ShownPack } from './api.ts'
import type { Pack, PackList, Packs } from './files.ts'
import { installPack, type PackMeans, uninstallPack } from './run-pack.ts'
import { PackState } from './state.ts'

const getOrThrow = ({ findLatest }: Packs, name: string): Pack => {
  const pack = findLatest(name)
  if (!pack) throw notFound('pack', name)
  return pack
}

/** Returns the function that shows a pack, with the queries for all packs. */
const createShow = async (ctx: Ctx): Promise<(pack: Pack) => ShownPack> => {
  const [state, counts] = [await PackState.read(ctx), await countByKind(ctx)]
  return ({ name, title, description, version, rows }) => ({
    ...{ name, title, description, version, installed: state.findVersion(name) ?? null },
    kinds: rows.filter(({ list }) => list === 'kinds').map(({ key }) => key),
    fields: rows.filter(({ list }) => list === 'custom-fields').length,
    objects: state
      .listOf(name)
      .filter(({ list }) => list === 'kinds')
      .reduce((sum, { id }) => sum + (counts.get(id) ?? 0), 0),
  })
}

const listRows = ({ rows }: Pack, list: PackList) =>
  rows.filter((row) => row.list === list).map(({ document }) => document)

const showWithRows = async (ctx: Ctx, pack: Pack): Promise<PackWithRows> => {
  const rows = { kinds: listRows(pack, 'kinds'), 'custom-fields': listRows(pack, 'custom-fields') }
  return { ...(await createShow(ctx))(pack), rows }
}

type PacksOptions = {
  readonly config: Omit<Means, 'operations'>
  readonly packs: () => Packs
  /** The operations of the resources. */
  readonly operations: Feature['operations']
}

export const packsFeature = ({ config, operations, packs: getPacks }: PacksOptions): Feature => {
  const means: PackMeans = { ...config, operations, packs: getPacks }
  return {
    operations: implement(packs, {
      list: async (ctx, page) => listValues(getPacks().latest.map(await createShow(ctx)), page),
      get: (ctx, { name }) => showWithRows(ctx, getOrThrow(getPacks(), name)),
      install: async (ctx, { name }) => {
        for (const permission of ['kinds:update', 'custom-fields:create', 'custom-fields:update'] as const)
          ctx.require(permission)
        const { answer } = await installPack({ ctx, means }, getOrThrow(getPacks(), name))
        return { name, ...answer, kept: [...answer.kept] }
      },
      uninstall: async (ctx, { name }) => {
        ctx.require('custom-fields:delete')
        const pack = getOrThrow(getPacks(), name)
        await uninstallPack({ ctx, means }, name, async () => ctx.precondition(await showWithRows(ctx, pack)))
      },
    }),
  }
}
