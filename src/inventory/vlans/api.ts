/** The VLANs contract: a VLAN gives a number of a place its name. Browser-safe. */
import type { z } from 'zod'
import { crud } from '../../resource/crud.ts'
import { vlanFacts } from './resource.ts'

const base = crud(vlanFacts)
export type Vlan = z.infer<typeof base.Item>
export const { Draft: VlanDraft, Patch: VlanPatch } = base
export type VlanDraft = z.output<typeof VlanDraft>
export type VlanPatch = z.output<typeof VlanPatch>

export const vlans = base.operations
