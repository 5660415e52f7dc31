/** Implements the interface of the kernel to the scopes. */
import type { ScopeEnforcer } from '../../platform/operation/scope-enforcer.ts'
import type { Tables } from '../tables.ts'
import { writeChecks } from './guard.ts'
import { readChecks } from './scoped-db.ts'
import { areaUpdates } from './update-areas.ts'

export const scopeEnforcer: ScopeEnforcer<Tables> = { ...areaUpdates, ...readChecks, ...writeChecks }
