# fmt and nlohmann_json in a folder of their own, for compilers that must see nothing else of /usr/include, where everything speaks of
# this machine's glibc and architecture.
set(ROLLCALL_HEADER_LIBRARIES ${CMAKE_BINARY_DIR}/header-libraries)
file(MAKE_DIRECTORY ${ROLLCALL_HEADER_LIBRARIES})
foreach(name fmt nlohmann)
  file(CREATE_LINK /usr/include/${name} ${ROLLCALL_HEADER_LIBRARIES}/${name} SYMBOLIC)
endforeach()
