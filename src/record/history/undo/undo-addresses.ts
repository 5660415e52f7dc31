/** Addresses of an undo have the values that they had: null stands for values that a default would fill in. */
import { isObject } from '../../../contract/unknown.ts'
import * as customFields from '../../../inventory/custom-fields/custom-fields.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { Step } from '../steps.ts'

type Values = Readonly<Record<string, unknown>>

const setsAddresses = ({ kind, change, document }: Step): boolean =>
  kind === 'device' && change === 'update' && Array.isArray(document.addresses)

/** Returns the names of the custom fields of addresses that have a default after all steps. */
const findNamesWithDefault = async (ctx: Ctx, steps: readonly Step[]): Promise<string[]> => {
  const fields = new Map<string, Values>((await customFields.findAll(ctx)).map((field) => [field.id, field]))
  for (const { kind, id, change, document } of steps) {
    if (kind !== 'custom-field') continue
    if (change === 'delete') fields.delete(id)
    else fields.set(id, { ...fields.get(id), ...document })
  }
  return [...fields.values()].flatMap(({ resource, name, default: usual }) =>
    resource === 'addresses' && usual !== null ? [String(name)] : [],
  )
}

/** Returns the steps, in which addresses of updates get no defaults. */
export const removeDefaults = async <S extends Step>(ctx: Ctx, steps: readonly S[]): Promise<readonly S[]> => {
  if (!steps.some(setsAddresses)) return steps
  const names = await findNamesWithDefault(ctx, steps)
  if (names.length === 0) return steps
  const none = Object.fromEntries(names.map((name) => [name, null]))
  const fillAddress = (address: unknown): unknown =>
    isObject(address)
      ? { ...address, custom: { ...none, ...(isObject(address.custom) ? address.custom : {}) } }
      : address
  return steps.map((step) => {
    const { addresses } = step.document
    return setsAddresses(step) && Array.isArray(addresses)
      ? { ...step, document: { ...step.document, addresses: addresses.map(fillAddress) } }
      : step
  })
}
