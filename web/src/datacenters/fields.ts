/** The fields of a datacenter. */
import { FACTS } from '../../../src/inventory/resources.ts'
import type { Datacenter } from '../api/contracts.ts'
import { buildFields, type Names } from '../resource/facts/from-facts.ts'
import { buildPaths, buildTreeKey } from '../resource/tree/tree.ts'

/** @param datacenters all of them, of which a list is ordered as a tree */
export const buildDatacenterFields = (datacenters: readonly Datacenter[] = []) => {
  const names: Names = new Map(datacenters.map(({ id, name }) => [id, name]))
  const paths = buildPaths(datacenters)
  return buildFields(
    FACTS.datacenters,
    {
      name: { sort: (row) => buildTreeKey(paths.get(row.id) ?? [], row) },
      location: { column: { width: 220, isEssential: true } },
      description: { column: { width: 320 } },
      parent_id: { label: 'Parent', form: { hint: 'The region, site or building that it is in' } },
      created_at: { isDetail: false },
    },
    { names },
  )
}

/** The fields without the names of datacenters. */
export const fields = buildDatacenterFields()
