/** The parameters of a report, which are in the URL. */
import { useEffect, useState } from 'react'
import filterCss from '../table/filter-controls.module.css'
import { Choice, type Option } from '../table/filter-controls.tsx'
import { type ListSearch, usePageSearch } from '../table/list-search.ts'
import { cx } from '../ui/cx.ts'
import type { Asked, ReportSummary } from './queries.ts'
import css from './reports.module.css'

/** The bound of the contract. */
const MAX_DAYS = 3650

const parseNumber = (text: string | undefined, max: number): number | undefined => {
  const value = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isInteger(value) && value >= 0 && value <= max ? value : undefined
}

/** Returns what the URL asks of a report. Numbers out of bounds are left out. */
export const toAsked = (name: string, search: ListSearch): Asked => {
  const [days, min] = [parseNumber(search.days, MAX_DAYS), parseNumber(search.min, 100)]
  return {
    name,
    ...(days !== undefined && { days }),
    ...(min !== undefined && { min }),
    ...(search.network !== undefined && { network_id: search.network }),
    ...(search.datacenter !== undefined && { datacenter_id: search.datacenter }),
  }
}

type NumberProps = {
  readonly label: string
  readonly value: string
  readonly usual: string
  readonly max: number
  readonly onChange: (value: string | undefined) => void
}

const NumberFilter = ({ label, value, usual, max, onChange }: NumberProps) => {
  const [text, setText] = useState(value)
  // Another link may set the URL.
  useEffect(() => setText(value), [value])
  return (
    <label className={css.label}>
      {label}
      <input
        className={cx(filterCss.control, css.days)}
        data-set={text !== '' || undefined}
        type="number"
        inputMode="numeric"
        min={0}
        max={max}
        placeholder={usual}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          const number = parseNumber(event.target.value, max)
          if (number !== undefined || event.target.value === '')
            onChange(number === undefined ? undefined : String(number))
        }}
      />
    </label>
  )
}

type Props = {
  readonly report: ReportSummary | undefined
  readonly networks: readonly Option[]
  readonly datacenters: readonly Option[]
}

export const ReportFilters = ({ report, networks, datacenters }: Props) => {
  const { search, set } = usePageSearch()
  if (!report) return null
  const { uses, days } = report
  const change = (field: 'days' | 'min' | 'network' | 'datacenter') => (value: string | undefined) =>
    void set({ [field]: value }, { isReplace: true })
  return (
    <>
      {uses.includes('days') && (
        <NumberFilter
          label="Days"
          value={search.days ?? ''}
          usual={String(days ?? 0)}
          max={MAX_DAYS}
          onChange={change('days')}
        />
      )}
      {uses.includes('min') && (
        <NumberFilter
          label="From percent"
          value={search.min ?? ''}
          usual="default"
          max={100}
          onChange={change('min')}
        />
      )}
      {uses.includes('network_id') && networks.length > 0 && (
        <Choice
          label="Network"
          any="All networks"
          value={search.network}
          options={networks}
          onChange={change('network')}
        />
      )}
      {uses.includes('datacenter_id') && datacenters.length > 0 && (
        <Choice
          label="Datacenter"
          any="All datacenters"
          value={search.datacenter}
          options={datacenters}
          onChange={change('datacenter')}
        />
      )}
    </>
  )
}
