/** Finds a device by its name or address. */
import { Search } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { api } from '../api/client.ts'
import tableCss from '../table/table.module.css'
import { toast, toastError } from '../ui/toast.tsx'

type Props = {
  readonly onFound: (id: string) => void
  readonly label?: string
  readonly placeholder?: string
}

export const FindDevice = ({
  onFound,
  label = 'Focus on a device',
  placeholder = 'Focus on a device: its name or address, then Enter',
}: Props) => {
  const [text, setText] = useState('')
  const find = async () => {
    const q = text.trim()
    if (q === '') return
    try {
      // Exact matches come first.
      const [device] = await api.devices.search({ q, limit: 1 })
      if (!device) return toast(`No device matches “${q}”`)
      setText('')
      onFound(device.id)
    } catch (error) {
      toastError('That could not be searched for', error)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void find()
  }
  return (
    <form className={tableCss.filter} onSubmit={submit}>
      <div className={tableCss.box}>
        <Search size={15} aria-hidden="true" />
        <input
          type="search"
          aria-label={label}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
    </form>
  )
}
