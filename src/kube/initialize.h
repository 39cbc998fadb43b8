#pragma once

#include "kube/client.h"  // initialize()
