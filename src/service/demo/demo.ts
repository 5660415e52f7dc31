/** Loads the demo by the operations of the API in the name of the caller, and removes it in one change. */

import type { Config } from '../../base/config/config.ts'
import { AppError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/unknown.ts'
import { isManagedBy } from '../../database/managed-by.ts'
import type { Tables } from '../../database/tables.ts'
import { type ApplyInput, applyHandler } from '../../exchange/apply/apply.ts'
import type { KeepNames } from '../../exchange/apply/names.ts'
import { estate } from '../../exchange/estate/api.ts'
import type { Packs } from '../../exchange/packs/files.ts'
import { INVENTORY, type Resource, toTableName } from '../../inventory/resources.ts'
import type { Bound } from '../../kernel/context.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { WithStatus } from '../../kernel/handler-result.ts'
import { getOneStep, type PreparedHandler } from '../../kernel/implement.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listPermissions } from '../../kernel/operation.ts'
import { Answered } from '../../kernel/prepared-handler.ts'
import type { Means } from '../../record/history/kinds.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { type DemoState, demo } from './api.ts'
import type { DemoStep } from './steps.ts'

/** The data of the demo are read when they are needed. */
const loadSteps = () => import('./steps.ts')

const OWNER = 'demo'

const countRows = async ({ db }: Ctx, resource: Resource): Promise<number> => {
  const query = selectFromTable(db, toTableName(resource)).where(isManagedBy(OWNER))
  const { n } = await query.select((e) => e.fn.countAll<number>().as('n')).executeTakeFirstOrThrow()
  return Number(n)
}

const countObjects = async (ctx: Ctx): Promise<number> => {
  let sum = 0
  for (const resource of INVENTORY) sum += await countRows(ctx, resource)
  return sum
}

const hasObjects = async ({ db }: Ctx): Promise<boolean> => {
  for (const resource of INVENTORY)
    if (await selectFromTable(db, toTableName(resource)).select('created_at').limit(1).executeTakeFirst()) return true
  return false
}

const getState = async (ctx: Ctx): Promise<DemoState> => {
  const objects = await countObjects(ctx)
  return { loaded: objects > 0, objects }
}

const createNotLoadedError = () => new AppError('NOT_FOUND', 'The demo is not loaded')
const createLoadedError = () => new AppError('ALREADY_EXISTS', 'The demo is loaded already')

type Answer = Readonly<Record<string, unknown>>

export type DemoOptions = {
  readonly config: Omit<Means, 'operations'> & Pick<Config, 'dataDir'>
  /** The operations of all other features. */
  readonly operations: readonly Bound<Tables>[]
  readonly packs: () => Packs
  readonly keepNames: KeepNames
  readonly kernel: () => Kernel<Tables>
}

export const demoFeature = ({ config, operations, packs, keepNames, kernel }: DemoOptions): Feature => {
  const find = (name: string): Bound<Tables> => {
    const bound = [...operations, ...own].find(({ op }) => op.name === name)
    if (!bound) throw new Error(`the demo needs the operation ${name}`)
    return bound
  }
  const apply = applyHandler({ ...config, operations, packs, keepNames })

  /** Runs an operation for the caller. @returns its answer, and the change that it has recorded */
  const runStep = async (ctx: Ctx, name: string, input: object, signal = ctx.signal) => {
    const { caller, rights, requestId, client } = ctx
    let changeId = ''
    const answer = await kernel().run(find(name), {
      ...{ caller, rights, requestId, client, signal, input },
      setHeader: (header, value) => {
        if (header === 'X-Change-Id') changeId = value
      },
    })
    const value = answer instanceof WithStatus ? answer.value : answer
    return { answer: isRecord(value) ? value : {}, changeId }
  }

  const requireRights = (ctx: Ctx, { STEPS, CREATES }: Awaited<ReturnType<typeof loadSteps>>): void => {
    const others = STEPS.filter(({ operation }) => operation !== estate.apply.name)
    for (const permission of new Set([
      ...CREATES,
      ...others.flatMap(({ operation }) => listPermissions(find(operation).op.access)),
    ]))
      ctx.require(permission)
  }

  const addCounts = (counts: Record<string, number>, { operation }: DemoStep, answer: Answer): void => {
    const add = (kind: string, n: number) => {
      if (n > 0) counts[kind] = (counts[kind] ?? 0) + n
    }
    const [noun = '', verb] = operation.split('.')
    if (operation === estate.apply.name && isRecord(answer.counts))
      for (const [kind, own] of Object.entries(answer.counts)) add(kind, isRecord(own) ? Number(own.created) : 0)
    else if (verb === 'create' || verb === 'record') add(noun, 1)
  }

  const load = async (ctx: Ctx, { force }: { readonly force: boolean }) => {
    const steps = await loadSteps()
    requireRights(ctx, steps)
    if ((await getState(ctx)).loaded) throw createLoadedError()
    if (!force && (await hasObjects(ctx)))
      throw new AppError('IN_USE', 'The inventory has objects already; with force the demo is loaded beside them')
    const [first, ...others] = steps.STEPS
    const made = await runStep(ctx, first.operation, first.input)
    // Another call was quicker.
    if (made.answer.changed !== true) throw createLoadedError()
    const counts: Record<string, number> = {}
    const changeIds = [made.changeId]
    addCounts(counts, first, made.answer)
    try {
      for (const step of others) {
        const { answer, changeId } = await runStep(ctx, step.operation, step.input)
        addCounts(counts, step, answer)
        changeIds.push(changeId)
        if (step.undone === undefined) continue
        const undone = await runStep(ctx, 'history.undo', { id: changeId, change_note: step.undone })
        changeIds.push(undone.changeId)
      }
    } catch (error) {
      // Also of a client that has left.
      const { signal } = new AbortController()
      await runStep(ctx, demo.remove.name, { change_note: 'The demo could not be loaded' }, signal).catch(
        (failure: unknown) => {
          ctx.log.error('a part of the demo is left', { error: failure })
        },
      )
      throw error
    }
    return { change_ids: changeIds.filter(Boolean), counts }
  }

  const removal: PreparedHandler<typeof demo.remove, Tables> = {
    isReadOnly: true,
    prepare: async (ctx: Ctx) => {
      const { FEED_IDS, ZONE_IDS } = await loadSteps()
      if (!(await getState(ctx)).loaded) throw createNotLoadedError()
      const work = await apply.prepare(ctx, toRemovalInput())
      // Another call was quicker.
      if (work instanceof Answered) throw createNotLoadedError()
      const removeAll = async (tx: Ctx, name: string, table: 'feeds' | 'dns_zones', ids: readonly string[]) => {
        const there = await tx.db.selectFrom(table).select('id').where('id', 'in', ids).orderBy('id').execute()
        if (there.length === 0) return
        const { op, run } = getOneStep(operations, name)
        for (const permission of listPermissions(op.access)) tx.require(permission)
        for (const { id } of there) await run(tx, { id })
      }
      return {
        options: work.options,
        run: async (tx: Ctx) => {
          tx.precondition(await getState(tx))
          await work.run(tx)
          await removeAll(tx, 'feeds.delete', 'feeds', FEED_IDS)
          await removeAll(tx, 'dns-zones.delete', 'dns_zones', ZONE_IDS)
        },
      }
    },
  }
  const own = implement(demo, {
    show: (ctx) => getState(ctx),
    load,
    remove: removal,
  })

  return { operations: own }
}

/** An empty document of the owner, pruned. */
const toRemovalInput = (): ApplyInput =>
  estate.apply.input.parse({ managed_by: OWNER, prune: true, allow_empty: true }) as ApplyInput
