/** Implements the interface of the kernel to the scopes. */

import type { Tables } from '../../database/tables.ts'
import type { ScopeEnforcer } from '../../kernel/rights/scope-enforcer.ts'
import { readChecks } from '../../resource/scoped/scoped-db.ts'
import { writeChecks } from './guard.ts'
import { areaUpdates } from './update-areas.ts'

export const scopeEnforcer: ScopeEnforcer<Tables> = { ...areaUpdates, ...readChecks, ...writeChecks }
