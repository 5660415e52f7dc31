/** Imports devices: new ones are validated and written together, failing rows separately. */
import { AppError, invalidField } from '../../platform/contract/errors.ts'
import { parse } from '../../platform/contract/validate.ts'
import type { Breathe } from '../../platform/runtime/pause.ts'
import type { Ctx } from '../ctx.ts'
import { DeviceDraft, DevicePatch } from '../devices/api.ts'
import * as devices from '../devices/devices.ts'
import type { Restored } from '../restored.ts'
import { attempt, checkFields, type Done, type Importer, type Outcome, parseRow, type Row } from './row.ts'

type New = { readonly at: number; readonly draft: DeviceDraft & Restored }

/** Finds a device by id if the row has one, otherwise by its name, which must be that of one device. */
const existingIds = async (ctx: Ctx, rows: readonly Row[]): Promise<(string | AppError | undefined)[]> => {
  const idOf = ({ value: { id } }: Row) => (typeof id === 'string' ? id : undefined)
  const known = await devices.existing(
    ctx,
    rows.flatMap((row) => idOf(row) ?? []),
  )
  const named = await devices.idsByName(
    ctx,
    rows.flatMap(({ value: { id, name } }) => (id === undefined && typeof name === 'string' ? [name] : [])),
  )
  return rows.map((row) => {
    const id = idOf(row)
    if (id !== undefined) return known.has(id) ? id : undefined
    const { name } = row.value
    const [first, ...others] = (typeof name === 'string' && named.get(name.trim().toLowerCase())) || []
    return others.length > 0 ? invalidField('name', 'is the name of several devices; give the id') : first
  })
}

const update = async (ctx: Ctx, id: string, value: Row['value']): Promise<Done> => {
  checkFields(DeviceDraft, value)
  const { updated_at } = await devices.update(ctx, parse(DevicePatch, { ...value, id }))
  return updated_at === ctx.now ? 'updated' : 'unchanged'
}

/** Returns the key by which a row names a device; undefined for a bad row without id and name. */
const nameIn = ({ id, name }: Row['value']): string | undefined => {
  if (typeof id === 'string') return id
  return typeof name === 'string' ? name.trim().toLowerCase() : undefined
}

type Pending = { readonly drafts: readonly New[]; readonly outcomes: Outcome[]; readonly breathe: Breathe }

const createAll = async (ctx: Ctx, { drafts, outcomes, breathe }: Pending): Promise<void> => {
  if (drafts.length === 0) return
  const together = await attempt(ctx, async () => {
    await devices.createAll(
      ctx,
      drafts.map(({ draft }) => draft),
    )
    return 'created'
  })
  for (const { at, draft } of drafts) {
    // One bad row failed the batch, so each row is tried separately to find it.
    outcomes[at] =
      together === 'created'
        ? together
        : await attempt(ctx, async () => {
            await devices.create(ctx, draft)
            return 'created'
          })
    await breathe()
  }
}

export const importDevices: Importer = async (ctx, rows, breathe, lookup) => {
  const outcomes: Outcome[] = []
  const ids = await existingIds(await lookup(), rows)
  const seen = new Set<string>()
  let drafts: New[] = []
  for (const [at, { value, ownPorts }] of rows.entries()) {
    await breathe()
    const name = nameIn(value)
    if (name !== undefined && seen.has(name)) {
      // If a file contains a device twice, it must be created before the second row can update it.
      await createAll(ctx, { drafts, outcomes, breathe })
      drafts = []
      const [again] = await existingIds(await lookup(), rows.slice(at, at + 1))
      ids[at] = again
    }
    if (name !== undefined) seen.add(name)
    const id = ids[at]
    if (id instanceof AppError) {
      outcomes[at] = id
      continue
    }
    if (id !== undefined) {
      outcomes[at] = await attempt(ctx, () => update(ctx, id, value))
      continue
    }
    const draft = parseRow(DeviceDraft, value)
    if (draft instanceof AppError) outcomes[at] = draft
    else drafts.push({ at, draft: ownPorts === undefined ? draft : { ...draft, created_at: ownPorts } })
  }
  await createAll(ctx, { drafts, outcomes, breathe })
  return outcomes
}
