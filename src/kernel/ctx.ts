/** The kernel's types with the tables of the features, which the platform does not depend on. */

import type { Tables } from '../database/tables.ts'
import type { KernelCtx, Feature as KernelFeature } from './context.ts'
import type { Reactions as ReactionsWith } from './events.ts'
import { implementFor } from './implement.ts'

export type Ctx = KernelCtx<Tables>
/** For a store: a transaction, a context, or the last committed state. */
export type DbScope = Pick<Ctx, 'db'>
/** The scope of `DbScope`, with the capabilities of the database. */
export type StoreScope = Pick<Ctx, 'db' | 'store'>
export type Feature = KernelFeature<Tables>
export type Reactions = ReactionsWith<Ctx>
export const implement = implementFor<Tables>()
