/** Gives a network to the scanners of a label, or back to the server. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, getWritten } from '../api/client.ts'
import { contracts, type Network } from '../api/contracts.ts'
import { useReport } from '../proposals/known-proposals.ts'
import { toastError } from '../ui/toast.tsx'

type Given = { readonly network: Pick<Network, 'id' | 'name'>; readonly label: string }

export const useSetLabel = () => {
  const client = useQueryClient()
  const report = useReport()
  return useMutation({
    mutationFn: ({ network, label }: Given) => call(contracts.networks.update, { id: network.id, scanner: label }),
    onSuccess: (saved, { label }) => {
      const text = label === '' ? `This server scans ${saved.name} again` : `${label} scans ${saved.name} from now on`
      report(text, getWritten(saved))
      for (const key of ['networks', 'network', 'history']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error, { network }) => toastError(`${network.name} is scanned as before`, error),
  })
}
