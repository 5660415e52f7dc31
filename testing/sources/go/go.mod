module plat.test/sources

go 1.24

require (
	github.com/google/uuid v1.6.0
	github.com/vmware/govmomi v0.52.0
)
