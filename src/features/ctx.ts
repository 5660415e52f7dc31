/** The kernel's types with our tables filled in, so that the platform need not know them. */

import type { KernelCtx, Feature as KernelFeature } from '../platform/operation/context.ts'
import { implementFor } from '../platform/operation/implement.ts'
import type { Tables } from './tables.ts'

export type Ctx = KernelCtx<Tables>
export type Feature = KernelFeature<Tables>
export const implement = implementFor<Tables>()
