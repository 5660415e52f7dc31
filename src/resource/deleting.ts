/** The event before objects are deleted, for the resources whose objects refer to them. */
import type { Ctx, Feature } from '../features/ctx.ts'
import type { Resource } from '../features/inventory.ts'

const DELETING = 'resource.deleting'

type Deleting = { readonly resource: Resource; readonly objects: readonly { readonly id: string }[] }

export const emitDeleting = (ctx: Ctx, deleting: Deleting): Promise<void> => ctx.emit(DELETING, deleting)

type Leave<T> = (ctx: Ctx, gone: T) => Promise<void>

/** Returns the reaction to the deletion of objects of these resources, one by one, before their rows are deleted. */
export const onDeleting = <T extends { readonly id: string }>(
  leave: Readonly<Partial<Record<Resource, Leave<T>>>>,
): NonNullable<Feature['reactions']> => ({
  [DELETING]: async (ctx: Ctx, { resource, objects }: Deleting) => {
    // The objects of a resource have its type.
    for (const gone of objects as readonly T[]) await leave[resource]?.(ctx, gone)
  },
})
