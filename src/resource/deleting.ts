/** The event before objects are deleted, for the resources whose objects refer to them. */

import type { Resource } from '../inventory/resources.ts'
import type { Ctx, Reactions } from '../kernel/ctx.ts'

type Deleting = { readonly resource: Resource; readonly objects: readonly { readonly id: string }[] }

export type Deleted = { readonly resource: Resource; readonly ids: readonly string[] }

declare module '../kernel/events.ts' {
  interface Events {
    'resource.deleting': Deleting
    /** The rows are gone. */
    'resource.deleted': Deleted
  }
}

export const emitDeleting = (ctx: Ctx, deleting: Deleting): Promise<void> => ctx.emit('resource.deleting', deleting)

export const emitDeleted = (ctx: Ctx, deleted: Deleted): Promise<void> => ctx.emit('resource.deleted', deleted)

type Leave<T> = (ctx: Ctx, gone: T) => Promise<void>

/** Returns the reaction to the deletion of objects of these resources, one by one, before their rows are deleted. */
export const onDeleting = <T extends { readonly id: string }>(
  leave: Readonly<Partial<Record<Resource, Leave<T>>>>,
): Pick<Reactions, 'resource.deleting'> => ({
  'resource.deleting': async (ctx: Ctx, { resource, objects }: Deleting) => {
    // The objects of a resource have its type.
    for (const gone of objects as readonly T[]) await leave[resource]?.(ctx, gone)
  },
})
