/** The fields of a datacenter. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildFields } from '../resource/facts/from-facts.ts'

export const fields = buildFields(FACTS.datacenters, {
  location: { column: { width: 220, isEssential: true } },
  description: { column: { width: 320 } },
  created_at: { isDetail: false },
})
