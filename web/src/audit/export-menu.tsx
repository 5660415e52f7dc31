/** Exports all entries that match the filter as a file. */
import { Download } from 'lucide-react'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuLink } from '../ui/menu.tsx'
import { type AuditFilter, exportUrl } from './filter.ts'

export const ExportMenu = ({ filter }: { readonly filter: AuditFilter }) => {
  const { blocked } = usePermit()
  const reason = blocked('audit:export')
  const button = (
    <Button blocked={reason}>
      <Download size={15} aria-hidden="true" />
      Export
    </Button>
  )
  if (reason !== undefined) return button
  return (
    <Menu trigger={button}>
      <MenuLink href={exportUrl('csv', filter)} download="audit.csv">
        CSV, for a spreadsheet
      </MenuLink>
      <MenuLink href={exportUrl('json', filter)} download="audit.json">
        JSON, with everything
      </MenuLink>
    </Menu>
  )
}
