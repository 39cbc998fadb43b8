# Images get onto nodes by archive and import: there is no registry. The id of what a node has is kept as a label of the node's own
# image record, so nothing is imported twice.
PAUSE_IMAGE=docker.io/rollcall/pause:dev

# qualified NAME: rollcall/probe:dev → docker.io/rollcall/probe:dev, the name containerd knows it by.
qualified() {
  case $1 in
    */*/*) echo "$1" ;;
    */*) echo "docker.io/$1" ;;
    *) echo "docker.io/library/$1" ;;
  esac
}

# node_image_id N IMAGE: empty when the node lacks it.
node_image_id() { ctr_of "$1" images ls "name==$2" 2>/dev/null | sed -n 's/.*rollcall\.dev\/image-id=\([^, ]*\).*/\1/p'; }

# load_image N IMAGE
load_image() {
  local n=$1 image id archive
  image=$(qualified "$2")
  id=$(image_id "$image")
  [ -n "$id" ] || die "there is no image $image on this machine; make it with: dev/images (or dev/deps --images for debian and pause)"
  [ "$(node_image_id "$n" "$image")" != "$id" ] || return 0
  archive=$(image_archive "$image" "$id")
  ctr_of "$n" images import "$archive" >>"$STATE/log/images" 2>&1 || die "node $n does not take $image: $(tail -n 3 "$STATE/log/images")"
  ctr_of "$n" images label "$image" "rollcall.dev/image-id=$id" >/dev/null
  say "node $n has $image (${id:0:12})"
}
