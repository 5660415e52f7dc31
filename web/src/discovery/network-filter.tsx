/** Filters a list by a network, which is stored in the URL. */
import { X } from 'lucide-react'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { useNetworkLabel, useNetworks } from './networks.ts'
import css from './start.module.css'

export const NetworkFilter = () => {
  const { search, set } = usePageSearch()
  const networks = useNetworks()
  const labelOf = useNetworkLabel()
  if (networks.length === 0 && search.network === undefined) return null
  const known = networks.some(({ id }) => id === search.network)
  return (
    <span className={css.networkFilter}>
      <select
        aria-label="Network"
        data-set={search.network === undefined ? undefined : ''}
        value={search.network ?? ''}
        onChange={(event) => void set({ network: event.target.value || undefined }, { isReplace: true })}
      >
        <option value="">All networks</option>
        {search.network !== undefined && !known && <option value={search.network}>{search.network}</option>}
        {networks.map((network) => (
          <option key={network.id} value={network.id}>
            {labelOf(network)}
          </option>
        ))}
      </select>
      {search.network !== undefined && (
        <Button
          isIcon
          look="quiet"
          aria-label="All networks"
          onClick={() => void set({ network: undefined }, { isReplace: true })}
        >
          <X size={14} aria-hidden="true" />
        </Button>
      )}
    </span>
  )
}
