#!/bin/sh
# Builds the image with the first of buildah, podman and docker that is there. Further arguments go to it, such as --build-arg BASE=….
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
for tool in buildah podman docker; do
  if command -v "$tool" >/dev/null; then
    # The format of Docker knows HEALTHCHECK, that of OCI does not.
    case $tool in docker) format= ;; *) format='--format docker' ;; esac
    exec "$tool" build $format -f deploy/Containerfile -t "cartwright:$version" "$@" .
  fi
done
echo 'npm run image needs buildah, podman or docker' >&2
exit 1
