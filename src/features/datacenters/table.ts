/** The tables of datacenters. */
export type DatacenterRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  location: string
  description: string
  created_at: string
  updated_at: string
}

export type DatacenterTables = { datacenters: DatacenterRow }
