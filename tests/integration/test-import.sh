#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage import on real files and on spoilt ones: the motion of a known robot, a loop that closes, what is said
# about a bad file, and that nothing is written then.
# usage: test-import.sh LINKAGE ROBOTS SMALL MJCF
# MJCF: yes or no, whether it was built with MuJoCo
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkage=$(realpath "$1")
robots=$(realpath "$2")
small=$(realpath "$3")
mjcf=$4
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# near WHAT TOLERANCE EXPECTED... : the last row of run.csv behind its time
near() {
    what=$1 tolerance=$2
    shift 2
    tail -n 1 run.csv | awk -F, -v t="$tolerance" -v want="$*" '{
        n = split(want, w, " ")
        for (i = 1; i <= n; i++) { d = $(i + 1) - w[i]; if (d < 0) d = -d; if (!(d <= t)) exit 1 }
    }' && return
    echo "FAIL $what: $(tail -n 1 run.csv), expected $*"
    failed=1
}

# spoil WHAT MESSAGE SED...: a changed arm.urdf is refused with that message, and nothing is written
spoil() {
    what=$1 message=$2
    shift 2
    sed "$@" "$small/arm.urdf" >bad.urdf
    expect 1 "$what" "$linkage" import bad.urdf --root fixed -o bad.yaml
    has "$what" "$message" err
    [ ! -e bad.yaml ] || { echo "FAIL $what: a model was written"; failed=1; }
}

# a robot falls as MuJoCo 2.2.2 has it (its RK4, 0.1 ms): without limits and contacts
expect 0 'ur5' "$linkage" import "$robots/ur5.urdf" --root fixed --stops none -o ur5.yaml
has 'ur5' '6 bodies of 11 links, 6 joints of 10, 16.9939 kg, centre 0.354932, 0.0794509, 0.0881125 m' out
expect 0 'ur5 falls' "$linkage" run ur5.yaml --formulation rk4 -s 5e-4 -d 0.5 -o run.csv
near 'ur5 falls' 1e-8 -0.59399983164854209 1.7126939757287962 0.32277277544470906 -2.1138070271906324 \
    -0.59342073260037131 0.0649658858950663
expect 0 'ur5 with stops' "$linkage" import "$robots/ur5.urdf" --root fixed -o stops.yaml
has 'ur5 with stops' 'type: stop' stops.yaml
expect 0 'ur5 drawn elsewhere' "$linkage" import "$robots/ur5.urdf" --root floating --joint elbow_joint=1.2 -o free.yaml
has 'ur5 drawn elsewhere' 'coordinate: 1.2' free.yaml
has 'ur5 drawn elsewhere' '7 bodies' out

# links without <inertial>: estimated from their shapes. A rod of two boxes of 1 x 0.1 x 0.2 m side by side along x is one of
# 2 m; a cylinder that lies along x; a sphere; a mesh is said to have no mass
cp "$small/shapes.urdf" .
expect 0 'no masses' "$linkage" import shapes.urdf --root fixed -o shapes.yaml
has 'no masses' "the body of link 'rod' has no mass" err
expect 0 'a density' "$linkage" import shapes.urdf --root fixed --density 1000 -o shapes.yaml
has 'a density' "shapes.urdf:3: estimated: link 'rod' has 40 kg, centre 1, 0, 0 m, moments 0.1667, 13.47, 13.37 kg m^2, of 2 collision shapes with 1000 kg/m^3" err
has 'a density' "shapes.urdf:8: estimated: link 'wheel' has 157.1 kg, centre 0, 0, 0 m, moments 19.63, 10.34, 10.34 kg m^2, of 1 visual shape" err
has 'a density' "link 'wheel': --density measures boxes, spheres and cylinders; shapes of it without mass: 1" err
same 'one that has its own' '' "$(grep "link 'ball'" err)"
has 'a density' '200.08 kg' out
expect 0 'it runs' "$linkage" run shapes.yaml -d 0.1
sed 's/size="1 0.1 0.2"/size="1 -0.1 0.2"/' shapes.urdf >bad.urdf
expect 1 'a size below 0' "$linkage" import bad.urdf --root fixed --density 1000 -o bad.yaml
has 'a size below 0' "bad.urdf:4: size of <box> is '1 -0.1 0.2', expected three numbers above 0" err
expect 2 'no density' "$linkage" import shapes.urdf --root fixed --density 0 -o bad.yaml

# shapes: materials by name and by value, a capsule, a mesh in millimetres that is mirrored, <collision> instead of a mesh that
# is not read; one of a link that became part of another body
mkdir -p robot/urdf robot/meshes
cp "$small/visuals.urdf" robot/urdf
cp "$small/hand.stl" robot/meshes
expect 0 'visuals' "$linkage" import robot/urdf/visuals.urdf --root fixed -o visuals.yaml
has 'visuals' 'not read: 3 shapes (cover.dae, sphere, tip.dae)' err
has 'visuals' 'drawn as bounding boxes: 1 mesh' err
sed -n '/^shapes:/,$p' visuals.yaml >shapes
cat >expected <<'END'
shapes:
  base_1: {type: box, body: ground, position: [0, 0, 0], size: [0.4, 0.4, 0.1], color: [0.1, 0.2, 0.8]}
  arm_1: {type: cylinder, body: arm, position: [0, 0, 0.6], diameter: 0.1, length: 0.6, axis: [0.479425539, 0, 0.877582562], color: [0.5, 0.5, 1, 0.25]}
  arm_2: {type: sphere, body: arm, position: [-0.143827662, 0, 0.336725231], diameter: 0.1, color: [0.5, 0.5, 1, 0.25]}
  arm_3: {type: sphere, body: arm, position: [0.143827662, 0, 0.863274769], diameter: 0.1, color: [0.5, 0.5, 1, 0.25]}
  arm_4: {type: box, body: arm, position: [-0.05, 0.025, 1.11], size: [0.1, 0.05, 0.02]}
  tip_1: {type: cylinder, body: tip, position: [0, 0, 1.1], diameter: 0.2, length: 0.3, axis: [0, -1, 0]}
  flag_1: {type: sphere, body: tip, position: [0.2, 0, 1.1], diameter: 0.04, color: [0.5, 0.5, 1, 0.25]}
END
equal 'visuals' shapes expected
expect 0 'visuals: a picture' "$linkage" view visuals.yaml --svg visuals.svg
# the same mesh as binary STL, and a flat one as OBJ
{
    printf '%80s\1\0\0\0%12s' '' ''
    printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\310\102\0\0\0\0\0\0\0\0\0\0\0\0\0\0\110\102\0\0\240\101\0\0'
} >robot/meshes/hand.stl
expect 0 'a binary mesh' "$linkage" import robot/urdf/visuals.urdf --root fixed -o binary.yaml
sed -n '/^shapes:/,$p' binary.yaml >shapes
equal 'a binary mesh' shapes expected
sed 's|package://robot/meshes/hand.stl|square.obj|' "$small/visuals.urdf" >flat.urdf
cp "$small/square.obj" .
expect 0 'a flat mesh' "$linkage" import flat.urdf --root fixed -o flat.yaml
has 'a flat mesh' 'arm_4: {type: box, body: arm, position: [-0.0005, 0.0005, 1.1], size: [0.001, 0.001, 1e-06]}' flat.yaml
rm robot/meshes/hand.stl
expect 0 'a lost mesh' "$linkage" import robot/urdf/visuals.urdf --root fixed -o lost.yaml
has 'a lost mesh' 'not read: 4 shapes (hand.stl, cover.dae, sphere, tip.dae)' err

# a loop that is open as drawn, by 0.3 m, closes; masses of 650 t look wrong
expect 0 'five bars' "$linkage" import "$robots/five-bar.urdf" --loops "$robots/five-bar-loops.yaml" --root fixed \
    -o five.yaml
has 'five bars' "mass of link 'sphere' is 654498 kg" err
has 'five bars' 'is open initially, by 0.3 m' err
expect 0 'five bars check' "$linkage" check five.yaml
# and all formulations start at the same pose
expect 0 'five bars by rattle' "$linkage" run five.yaml --formulation rattle -d 1e-3 -o five.csv
for formulation in ali3 rk4 dca hdca recursive; do
    expect 0 "five bars by $formulation" "$linkage" run five.yaml --formulation "$formulation" -d 1e-3 -o run.csv
    sed -i 2q run.csv
    # shellcheck disable=SC2046
    near "five bars by $formulation" 1e-13 $(sed -n '2s/^[^,]*,//; 2y/,/ /; 2p' five.csv)
done
expect 1 'loops of nothing' "$linkage" import "$robots/five-bar.urdf" --loops "$robots/ur5.urdf" --root fixed -o l.yaml

# everything that the reader knows, with names that are none of ours
expect 0 'arm' "$linkage" import "$small/arm.urdf" --root fixed -o arm.yaml
has 'arm' '_1_upper_arm: # of 2 links' arm.yaml
has 'arm' 'right_gear: {type: gear, joints: [left, right], ratio: 1}' arm.yaml
has 'arm' 'arm.urdf:32: axis of joint' err
has 'arm' '<colour_of_the_box> in <robot> is unknown' err
expect 0 'arm runs' "$linkage" run arm.yaml -d 0.2
# merged links with inertia in turned axes, without what is not smooth, against MuJoCo as above
sed -e '/<mimic/d' -e 's/friction="0.1"/friction="0"/' "$small/arm.urdf" >plain.urdf
expect 0 'arm plain' "$linkage" import plain.urdf --root fixed --stops none -o plain.yaml
expect 0 'arm falls' "$linkage" run plain.yaml --formulation rk4 -s 5e-4 -d 0.5 -o run.csv
near 'arm falls' 1e-9 1.6730560233692644 0.51098022015295574
# hinges about x, z and a skew axis in turned frames: every entry of every inertia has a say (1e-7: MuJoCo turns an
# inertia to its principal axes with 3e-7 of it left)
expect 0 'turned' "$linkage" import "$small/turned.urdf" --root fixed -o turned.yaml
has 'turned' '5.8 kg, centre 0.212306, 0.0540045, 0.847404 m' out
expect 0 'turned falls' "$linkage" run turned.yaml --formulation rk4 -s 5e-4 -d 0.5 -o run.csv
near 'turned falls' 1e-7 -1.2190995644457605 -0.099364755829348839 -2.4424944758528055
expect 0 'hinges without mass' "$linkage" import "$small/loop.urdf" --root fixed -o loop.yaml
has 'hinges without mass' "the body of link 'ring' has no mass" err
expect 0 'a ball of hinges' "$linkage" import "$small/loop.urdf" --root fixed --repair -o loop.yaml
has 'a ball of hinges' 'z: {type: spherical, bodies: [rod, block]' loop.yaml

# an assembly of Simscape: a loop, sides of joints in either order, all kinds of units, turned axes of inertia, in the
# motion of config/models/four-bar.yaml without damping; a bob that turns and slides, against MuJoCo
expect 0 'four bars' "$linkage" import "$small/four-bar.xml" --gravity 0,-9.81,0 -o four.yaml
has 'four bars' '7 bodies of 8 links, 7 joints of 8, 6.5 kg, centre 1.37142, 0.171417, 0.253846 m' out
has 'four bars' "four-bar.xml:113: body 'part' hangs on nothing that stands: it is free" err
has 'four bars' 'quaternion: [0.31532236239526873, -0.41417084300436435, 0.2070854215021' four.yaml
expect 0 'four bars fall' "$linkage" run four.yaml -s 1e-3 -d 0.4 -o run.csv
near 'four bars fall' 1e-9 0.33302704775106751 0.33302704775106751 -0.33302704775106751
expect 0 'a bob falls' "$linkage" run four.yaml -s 1e-4 -d 0.4 -o run.csv
sed -i '$s/,[^,]*,[^,]*,[^,]*//' run.csv
near 'a bob falls' 1e-8 0.22551062059247581 -0.63456313876616277
expect 0 'four bars, no gravity' "$linkage" import "$small/four-bar.xml" -o four.yaml
has 'four bars, no gravity' 'the file has no gravity: it is along -z' err
expect 2 'four bars, a root' "$linkage" import "$small/four-bar.xml" --root floating -o bad.yaml
sed '/<grounds>/,/<\/grounds>/d; /"pin_[ad]"/,/<\/SimpleJoint>/s/ref="[78]"/ref="2"/; /"rod"/,/<\/SimpleJoint>/s/ref="8"/ref="2"/' \
    "$small/four-bar.xml" >loose.xml
expect 2 'four bars, no ground' "$linkage" import loose.xml -o bad.yaml
expect 0 'four bars, no ground' "$linkage" import loose.xml --root floating -o loose.yaml
# cad WHAT MESSAGE SED...: a changed assembly is refused with that message
cad() {
    what=$1 message=$2
    shift 2
    rm -f bad.yaml
    sed "$@" "$small/four-bar.xml" >bad.xml
    expect 1 "CAD: $what" "$linkage" import bad.xml -o bad.yaml
    has "CAD: $what" "$message" err
    [ ! -e bad.yaml ] || { echo "FAIL CAD: $what: a model was written"; failed=1; }
}
cad 'a unit' "bad.xml:10: <massUnits> is 'stone', expected a unit like kg" 's/"g"/"stone"/'
cad 'a unit of inertia' "<inertiaUnits> is 'kg', expected a unit like kg*m^2" 's/"kg\*m^2"/"kg"/'
cad 'axes' "<positionReferenceFrame> is 'CG', expected WORLD" 's/<positionReferenceFrame>"WORLD"/<positionReferenceFrame>"CG"/'
cad 'no rotation' '<orientation> is no rotation' '0,/<orientation>[^,]*/s//<orientation>2/'
cad 'no centre' "body 'crank' has mass and no frame CG" '0,/"CG"/s//"CS0"/'
cad 'a primitive' "primitive 'gear' of joint 'pin_d'" '0,/"revolute"/s//"gear"/'
cad 'no frame' "the follower of joint 'pin_c' is no frame of a body" '/"pin_c"/,/<\/SimpleJoint>/s/ref="4"/ref="44"/'
cad 'a number' "<inertia> of <Body> is" '0,/<inertia>/s//<inertia>x,/'
cad 'another file' 'expected <robot>: URDF, <mujoco>: MJCF, or <PhysicalModelingXMLFile> or <SimscapeMultibodyImportXML>' \
    's/PhysicalModelingXMLFile/Assembly/'
cad 'the other generation' 'there is no <RootAssembly> with an <InstanceTree>' \
    's/PhysicalModelingXMLFile/SimscapeMultibodyImportXML/'
sed '/"pin_b"/,/<\/SimpleJoint>/s/ref="2"/ref="3"/' "$small/four-bar.xml" >self.xml
expect 0 'CAD: to itself' "$linkage" import self.xml -o self.yaml
has 'CAD: to itself' "joint 'pin_b' ties body 'coupler' to itself: it is left out" err
sed '/<name>"rocker"/,/<mass>/s/<mass>/<weight>/; /<weight>/s/<\/mass>/<\/weight>/; s/<mass>2</<mass>2000</' "$small/four-bar.xml" >light.xml
"$linkage" import light.xml --repair -o light.yaml >out 2>err
has 'CAD: no mass' "body 'rocker' has no <mass>: it has none" err
has 'CAD: a density' "body 'part' has the density 8e+06 kg/m^3: are the units of its mass and volume right?" err

# the second generation: the same four bars by constraints between faces, two of them in an assembly of its own, and what
# other lower pairs there are; the carriage falls 0.5 g t^2
expect 0 'mates' "$linkage" import "$small/assembly.xml" --gravity 0,-9.81,0 -o mates.yaml
has 'mates' '8 bodies of 12 links, 9 joints of 12, 6.55 kg, centre 0.608277, 0.0309486, 0.00610687 m' out
has 'mates' "assembly.xml:79: 'base-1' and 'arm-1/crank-1': revolute of 2 constraints" err
has 'mates' "'rocker-1' and 'base-1': revolute of 1 constraint" err
has 'mates' "'carriage-1' and 'base-1': prismatic of 2 constraints" err
has 'mates' "'nut-1' and 'carriage-1': weld of 3 constraints" err
has 'mates' "'carriage-1' and 'wheel-1': revolute of 2 constraints" err
has 'mates' "'nut-1' and 'bob-1': spherical of 1 constraint" err
has 'mates' "'base-1' and 'puck-1': planar of 1 constraint" err
has 'mates' "'rod-1' and 'base-1': cylindrical of 1 constraint" err
has 'mates' "assembly.xml:263: 'arm-1/crank-1' and 'arm-1/coupler-1': revolute of 3 constraints" err
expect 0 'mates fall' "$linkage" run mates.yaml -s 1e-3 -d 0.4 -o run.csv
near 'mates fall' 1e-9 -0.33302704775106751 0.33302704775106751 0.7848 0.33302704775106751 0 -0.33302704775106751
expect 2 'mates, a root' "$linkage" import "$small/assembly.xml" --root fixed -o bad.yaml
sed 's/ grounded="true"//' "$small/assembly.xml" >loose.xml
expect 2 'mates, no ground' "$linkage" import loose.xml -o bad.yaml
expect 0 'mates, no ground' "$linkage" import loose.xml --root floating -o loose.yaml
has 'mates, no ground' '9 bodies of 10 links' out
# mate WHAT MESSAGE SED...: changed constraints are refused with that message
mate() {
    what=$1 message=$2
    shift 2
    rm -f bad.yaml
    sed "$@" "$small/assembly.xml" >bad.xml
    expect 1 "mate: $what" "$linkage" import bad.xml -o bad.yaml
    has "mate: $what" "$message" err
    [ ! -e bad.yaml ] || { echo "FAIL mate: $what: a model was written"; failed=1; }
}
mate 'a unit' "mass of <DataUnits> is 'stone', expected a unit like kilogram" 's/"gram"/"stone"/'
mate 'no units' 'there are no <DataUnits>' '/<DataUnits/d; /<ModelUnits/d'
mate 'no rotation' '<Rotation> is no rotation' '0,/<Rotation>1/s//<Rotation>2/'
mate 'numbers' "<Inertia> of <MassProperties> is '1 2 3', expected 6 decimal numbers" '0,/<Inertia>[^<]*/s//<Inertia>1 2 3/'
mate 'no part' "instance 'nut-1' is of 'none', which is neither a part nor an assembly" '0,/entityUid="nut[^"]*/s//entityUid="none/'
mate 'no instance' "there is no instance 'pack-1' in the assembly" 's/<Uid>puck-1/<Uid>pack-1/'
mate 'an axis' '<Axis> of <ConstraintGeometry> is 0 0 0' '0,/<Axis>[^<]*/s//<Axis>0 0 0/'
mate 'one side' "<Coincident> 'table' has 1 <ConstraintGeometry>, expected 2" \
    '/"table"/,/<\/ConstraintGeometry>/{/Geom/,/Geom/d}'
mate 'a geometry' "geomType of <Coincident> 'table' is 'torus'" '/"table"/,/<\/Coincident>/s/"plane"/"torus"/'
mate 'what is not known' "<Tangent> 'bore' of a cylinder of 'rod-1' and a cylinder of 'base-1' is not known here" \
    '/"bore"/,/<\/Concentric>/s/Concentric/Tangent/'
mate 'a gear' "<Gear> 'bore' of a cylinder" '/"bore"/,/<\/Concentric>/s/Concentric/Gear/'
mate 'no joint' \
    "'base-1' and 'puck-1' keep 3 rotations and 2 displacements by 1 constraint from 'table' on: no joint here has these" \
    '/"table"/,/<\/Coincident>/{/puck-1/{n;n;d}; /"table"/,/base-1/b; s/"plane"/"sphere"/}'
sed '/"table"/,/<\/Coincident>/s/Coincident/Parallel/' "$small/assembly.xml" >level.xml
expect 0 'mate: level' "$linkage" import level.xml -o level.yaml
has 'mate: level' "'base-1' and 'puck-1': planar and prismatic of 1 constraint" err
expect 0 'mate: level falls' "$linkage" run level.yaml -d 0.1 -o run.csv
sed '/"bore"/,/<\/Concentric>/s/Concentric/UnknownConstraint/' "$small/assembly.xml" >unknown.xml
expect 0 'mate: unknown' "$linkage" import unknown.xml -o unknown.yaml
has 'mate: unknown' "<UnknownConstraint> 'bore' does not say what it is: 'rod-1' and 'base-1' are held rigidly" err
has 'mate: unknown' '7 bodies of 12 links' out
sed '/uid="puck-1"/,/<\/Instance>/s/<Translation>[^<]*/<Translation>0 0 500/' "$small/assembly.xml" >open.xml
expect 0 'mate: open' "$linkage" import open.xml -o open.yaml
has 'mate: open' "<Coincident> 'table' of 'base-1' and 'puck-1' is open as drawn, by " err
sed '/"table"/,/<\/Coincident>/d; /<Part name="puck"/,/<\/Part>/{s/<Mass>.*</<Mass>0</; s/<Inertia>.*</<Inertia>0 0 0 0 0 0</}' \
    "$small/assembly.xml" >idle.xml
expect 0 'mate: a skeleton' "$linkage" import idle.xml -o idle.yaml
has 'mate: a skeleton' "'puck-1' has no mass, and nothing holds it: it is held to the ground" err

# joints as they are: coordinates, sides that slide, in pounds and inches; assemblies that are rigid or have a part grounded
expect 0 'joints' "$linkage" import "$small/joints.xml" -o joints.yaml
has 'joints' '15 bodies of 23 links, 14 joints of 22, 12.7006 kg, centre 0.699407, 0.142243, 0.0145143 m' out
has 'joints' 'hinge: {type: revolute, bodies: [ground, arm__1_], point: [0.254, 0, 0], axis: [0, 0, 1], coordinate: 0.523598775598' joints.yaml
has 'joints' 'axis: [0, 0, 1], coordinate: 0.0761999999' joints.yaml
has 'joints' 'floor: {type: planar' joints.yaml
has 'joints' 'bore: {type: cylindrical' joints.yaml
has 'joints' 'slot: {type: revolute, bodies: [slot_1, pin__1_]' joints.yaml
has 'joints' "body 'mass <1>' hangs on nothing that stands: it is free" err
has 'joints' "joint 'shaft' is left out: 'head <1>/left <1>' and 'head <1>/right <1>' are one body" err
expect 0 'joints fall' "$linkage" run joints.yaml -d 0.1 -o run.csv
sed 's/<Translation>2 0 0/<Translation>2 3 0/' "$small/joints.xml" >apart.xml
expect 0 'joints apart' "$linkage" import apart.xml -o apart.yaml
has 'joints apart' "the frames of joint 'bore' (<Cylindrical>) are 0.0762 m apart, their axes 0 rad" err
sed 's/Planar/Gimbal/' "$small/joints.xml" >bad.xml
expect 1 'joints: a gimbal' "$linkage" import bad.xml -o bad.yaml
has 'joints: a gimbal' "joint 'floor' of 'base <1>' and 'puck <1>' is <Gimbal>, which is not known here" err
# a hinge, and an angle between two directions that is at its least as drawn: it turns at this instant only
face() {
    printf '<ConstraintGeometry geomType="%s"><InstancePath><Uid>%s</Uid></InstancePath><Position>%s</Position><Axis>%s</Axis>' "$@"
    printf '</ConstraintGeometry>'
}
stuck="<Constraints><Concentric name=\"pin\">$(face line base '80 0 0' '0 0 1')$(face line mass '0 0 0' '0 0 1')</Concentric>\
<Coincident name=\"top\">$(face plane base '80 0 0' '0 0 1')$(face plane mass '0 0 0' '0 0 1')</Coincident>\
<Angle name=\"dead\">$(face line base '80 0 0' '.6 0 .8')$(face line mass '0 0 0' '.8 0 .6')</Angle></Constraints>"
sed "0,/<Constraints\/>/s|<Constraints/>|$stuck|" "$small/joints.xml" >bad.xml
expect 1 'joints: stuck' "$linkage" import bad.xml -o bad.yaml
has 'joints: stuck' "'base <1>' and 'mass <1>' keep 1 rotation and 0 displacements by 3 constraints from 'pin' on: they change as it" err

# mates to planes and axes of the assembly itself, and of one in it, which stand where that stands
expect 0 'own planes' "$linkage" import "$small/planes.xml" -o planes.yaml
has 'own planes' 'arm-1_the_assembly: {type: revolute, bodies: [ground, arm-1], point: [0, 0, 0], axis: [0, -1, 0]}' planes.yaml
has 'own planes' 'bodies: [ground, stand-1_arm-2], point: [0, 2, 0], axis: [-1, 0, 0]}' planes.yaml
has 'own planes' "'stand-1/arm-2' and 'stand-1': cylindrical of 1 constraint" err
sed 's|<InstancePath><Uid>arm-1|<InstancePath><Uid>swing</Uid><Uid>arm-1|' "$small/planes.xml" >through.xml
expect 0 'a path from the top' "$linkage" import through.xml -o through.yaml
sed 's/ # from.*//' planes.yaml >planes
sed 's/ # from.*//' through.yaml >through
equal 'a path from the top' planes through
sed 's|<Uid>swing|<Uid>swung|' "$small/planes.xml" >bad.xml
expect 1 'no such planes' "$linkage" import bad.xml -o bad.yaml
has 'no such planes' "bad.xml:20: there is no instance 'swung' in the assembly" err

# MJCF: joints on a body, springs, armatures, inertias of shapes, against MuJoCo 2.2.2 (its RK4, 20 us)
if [ "$mjcf" = no ]; then
    expect 1 'no MJCF' "$linkage" import "$small/leg.xml" -o leg.yaml
    has 'no MJCF' 'leg.xml:2: the file is <mujoco>: MJCF, which this program was built without' err
else
    expect 0 'leg' "$linkage" import "$small/leg.xml" --stops none -o leg.yaml
    has 'leg' '6 bodies of 8 links, 5 joints of 7, 2 rotors, 100.011 kg, centre 0.486135, 0.963998, 1.95679 m' out
    has 'leg' "leg.xml:11: the armature 0.3 of joint 'rail' is a rotor" err
    has 'leg' "leg.xml:19: joint 'knee' has the ref 0.523599" err
    has 'leg' '# limits -1.91986, 1.5708' leg.yaml
    # shapes in all frames: those of a body without joints, of bodies with several joints, an ellipsoid
    has 'leg' 'drawn as bounding boxes: 1 mesh or ellipsoid' err
    has 'leg' 'not read: 1 shape (plane)' err
    has 'leg' 'not read: contacts between 6 shapes' err
    has 'leg' 'hip_1: {type: cylinder, body: hip, position: [0.210595332, 0.156507362, 0.945275317], diameter: 0.06' leg.yaml
    has 'leg' 'plate_1: {type: box, body: hip, position: [0.155207987, 0.113897535, 0.957176771], size: [0.1, 0.04, 0.16]' leg.yaml
    has 'leg' 'foot_1: {type: box, body: foot, position: [0.227535928, 0.300314887, 0.567777068], size: [0.2, 0.08, 0.06]' leg.yaml
    printf '<mujoco><asset><material name="m" rgba="1 0 0 1"/></asset><worldbody><body><joint/><geom size=".1" material="m"/>%s
        <geom type="cylinder" size=".2 .3" group="3"/></body><body pos="1 0 0"><joint/><geom type="cylinder" size=".2 .3" group="3"/>
        </body></worldbody></mujoco>' '<geom size=".1" pos="1 0 0" rgba="0 1 0 .5"/>' >groups.xml
    expect 0 'groups' "$linkage" import groups.xml -o groups.yaml
    sed -n '/^shapes:/,$p' groups.yaml >shapes
    cat >expected <<'END'
shapes:
  body_1_1: {type: sphere, body: body_1, position: [0, 0, 0], diameter: 0.2, color: [1, 0, 0]}
  body_1_2: {type: sphere, body: body_1, position: [1, 0, 0], diameter: 0.2, color: [0, 1, 0, 0.5]}
  body_2_1: {type: cylinder, body: body_2, position: [1, 0, 0], diameter: 0.4, length: 0.6, axis: [0, 0, 1]}
END
    equal 'groups' shapes expected
    expect 0 'leg falls' "$linkage" run leg.yaml --formulation recursive -s 1e-3 -d 0.5 -o run.csv
    near 'leg falls' 2e-8 0.19321796091873378 2.2365796539950344 0.30915822679032678 -1.8303573478387806
    # loops by connect and weld, a joint that follows, against MuJoCo (20 us), which has to close it first: 3e-4
    expect 0 'linkage' "$linkage" import "$small/linkage.xml" -o linkage.yaml
    has 'linkage' "linkage.xml:32: warning: equality 'bent' is left out: it is not active" err
    has 'linkage' "linkage.xml:35: warning: tendon 'string' is left out" err
    has 'linkage' "linkage.xml:39: warning: actuator 'servo' is left out" err
    has 'linkage' '4 bodies of 6 links, 5 joints of 7, 2.8 kg, centre 0.377269, -0.00357143, 0.20703 m' out
    has 'linkage' 'motor: {type: joint-torque, joint: drive, limits: [-20, 20]' linkage.yaml
    expect 0 'linkage falls' "$linkage" run linkage.yaml -d 0.3 -o run.csv
    near 'linkage falls' 3e-4 0.71341733310707001 -0.69291308648202765 0.36106053963495438 -0.70212107945157309
    # mjcf WHAT MESSAGE XML: refused in one line, whatever MuJoCo does
    mjcf() {
        rm -f bad.xml bad.yaml
        printf '<mujoco>%s</mujoco>' "$3" >bad.xml
        expect 1 "$1" "$linkage" import bad.xml -o bad.yaml
        has "$1" "$2" err
        [ ! -e bad.yaml ] || { echo "FAIL $1: a model was written"; failed=1; }
        [ ! -e MUJOCO_LOG.TXT ] || { echo "FAIL $1: MuJoCo wrote a log"; failed=1; }
    }
    body='<body><joint name="j"/><geom size=".1"/></body>'
    # a motor without a range is an input without limits; those of one joint are one
    printf '<mujoco><worldbody>%s</worldbody><actuator>%s</actuator></mujoco>' "$body" \
        '<motor name="free" joint="j"/>' >motors.xml
    expect 0 'motors' "$linkage" import motors.xml -o motors.yaml
    has 'motors' 'free: {type: joint-torque, joint: j}' motors.yaml
    printf '<mujoco><worldbody>%s</worldbody><actuator>%s%s</actuator></mujoco>' "$body" \
        '<motor name="near" joint="j" ctrllimited="true" ctrlrange="-1 2"/>' \
        '<motor name="far" joint="j" gear="3" ctrllimited="true" ctrlrange="-1 1"/>' >motors.xml
    expect 0 'two motors' "$linkage" import motors.xml -o motors.yaml
    has 'two motors' 'near: {type: joint-torque, joint: j, limits: [-5, 5]' motors.yaml
    has 'two motors' "actuator 'far' is part of input 'near' of the same joint" err
    mjcf 'MJCF: nothing' 'nothing in it moves' ''
    mjcf 'MJCF: a keyword' "XML Error: invalid keyword: 'screw'" \
        '<worldbody><body><joint type="screw"/></body></worldbody>'
    version=$(sed -n 's/^bad.xml:1: \(MuJoCo [0-9.]*\): .*/\1/p' err)
    mjcf 'MJCF: no mass' 'mass and inertia of moving bodies' '<worldbody><body><joint/></body></worldbody>'
    mjcf 'MJCF: no mesh' "could not open STL file 'none.stl'" '<asset><mesh name="m" file="none.stl"/></asset>'
    mjcf 'MJCF: all memory' 'bad.xml: MuJoCo' \
        '<asset><hfield name="h" nrow="60000" ncol="60000" size="1 1 1 1"/></asset>'
    mjcf 'MJCF: too far' 'pos of a body: 1e+300 is beyond' \
        "<worldbody><body pos='1e300 0 0'>$body</body></worldbody>"
    mjcf 'MJCF: drives itself' "joint 'j' has the stiffness 0, damping -1" \
        "<default><joint damping='-1'/></default><worldbody>$body</worldbody>"
    mjcf 'MJCF: too deep' 'depth' \
        "<worldbody>$(printf '<body>%.0s' $(seq 300))$(printf '</body>%.0s' $(seq 300))</worldbody>"
    # files for a later MuJoCo: without what means nothing here, named in one line; what means something is named, too
    pendulum='<body name="b"><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" mass="1"/></body>'
    newer() { # WHAT NAMED XML: read, like the pendulum alone
        rm -f new.yaml
        printf '<mujoco>%s</mujoco>' "$3" >new.xml
        expect 0 "MJCF, newer: $1" "$linkage" import new.xml -o new.yaml
        has "MJCF, newer: $1" 'warning: the file is for a later MuJoCo' err
        has "MJCF, newer: $1" "as it means nothing here: $2" err
        sed -e 's/ # from.*//' -e '/^#/d' new.yaml >new
        equal "MJCF, newer: $1" new old
    }
    printf '<mujoco><worldbody>%s</worldbody></mujoco>' "$pendulum" >new.xml
    expect 0 'MJCF, newer: none' "$linkage" import new.xml -o old.yaml
    same 'MJCF, newer: none' 0 "$(grep -c warning err)"
    sed -e 's/ # from.*//' -e '/^#/d' old.yaml >old
    world="<worldbody>$pendulum</worldbody>"
    newer 'a sensor' 'sensor jointactuatorfrc' "$world<sensor><jointactuatorfrc joint='j'/><jointpos joint='j'/></sensor>"
    newer 'memory' 'size memory' "<size memory='1M'/>$world"
    newer 'an integrator' 'option integrator implicitfast' "<option integrator='implicitfast'/>$world"
    newer 'flags' 'option ccd_iterations, flag nativeccd' "<option ccd_iterations='50'><flag nativeccd='enable'/></option>$world"
    newer 'visuals' 'global cameraid' "<visual><global cameraid='1'/></visual>$world"
    newer 'looks' 'texture colorspace, material metallic, asset layer' "<asset><texture name='t' type='2d' builtin='flat' \
        width='8' height='8' colorspace='sRGB'/><material name='m' metallic='1'><layer role='rgb' texture='t'/></material></asset>$world"
    newer 'an effort' 'joint actuatorfrcrange' "<default><joint actuatorfrcrange='-5 5'/></default>$world"
    newer 'no compensation' 'body gravcomp' "$(echo "$world" | sed 's/name="b"/name="b" gravcomp="0"/')"
    newer 'a key frame' 'key foo' "$world<keyframe><key name='home' qpos='0' foo='1'/></keyframe>"
    newer 'plug-ins' 'a section extension' "<extension><plugin plugin='mujoco.pid'/></extension>$world"
    # included files, ranges that limit, laws of actuators that are left out all the same
    printf '<mujocoinclude><worldbody>%s</worldbody></mujocoinclude>' \
        "$(echo "$pendulum" | sed -e 's/name="b"/name="b" gravcomp="1"/' -e 's/axis=/range="-90 90" axis=/')" >arm.xml
    printf '<mujoco><compiler assetdir="meshes"/><include file="arm.xml"/>
        <actuator><position name="p" joint="j" kp="1" dampratio="1"/></actuator></mujoco>' >new.xml
    expect 0 'MJCF, newer: included' "$linkage" import new.xml -o new.yaml
    has 'MJCF, newer: included' "new.xml: warning: arm.xml:1: body 'b': the gravcomp of 1 is left out" err
    has 'MJCF, newer: included' 'as it means nothing here: position dampratio' err
    has 'MJCF, newer: included' 'a joint with a range is limited' err
    has 'MJCF, newer: included' 'lower: -1.57' new.yaml
    printf '<mujoco>%s<actuator><dcmotor name="dc" joint="j"/></actuator></mujoco>' "$world" >new.xml
    expect 0 'MJCF, newer: a motor of its own' "$linkage" import new.xml -o new.yaml
    has 'MJCF, newer: a motor of its own' "new.xml:1: warning: <dcmotor> 'dc' is left out: it is for a later MuJoCo" err
    mjcf 'MJCF, newer: a frame' "bad.xml:1: <frame> is not known to $version, which reads the file" \
        "<worldbody><frame pos='1 0 0'>$pendulum</frame></worldbody>"
    mjcf 'MJCF, newer: a site' "bad.xml:1: the attribute 'site1' of <connect> is not known to $version" \
        "$world<equality><connect body1='b' site1='s' anchor='0 0 0'/></equality>"
    mjcf 'MJCF, newer: both' "$version, without that: XML Error: invalid keyword: 'screw'" \
        "<size memory='1M'/><worldbody><body><joint type='screw'/></body></worldbody>"
    expect 2 'MJCF: a root' "$linkage" import "$small/leg.xml" --root fixed -o bad.yaml
    has 'MJCF: a root' 'says itself what stands' err
fi

# a version of XML that there is not is read as 1.0, with a warning
expect 0 'XML 1.0' "$linkage" import "$small/arm.urdf" --root fixed -o xml.yaml
same 'XML 1.0' 0 "$(grep -c 'XML of version' err)"
sed 's/ # from.*//' xml.yaml >xml
for version in 0.0 2.0 1 ''; do
    sed "1s/version=['\"][^'\"]*['\"]/version='$version'/" "$small/arm.urdf" >old.urdf
    rm -f old.yaml
    expect 0 "XML $version" "$linkage" import old.urdf --root fixed -o old.yaml
    has "XML $version" "old.urdf:1: warning: XML of version '$version', which there is not, is read as 1.0" err
    sed 's/ # from.*//' old.yaml >old
    equal "XML $version" xml old
done
spoil 'no masses' 'no link of it has a mass' -e 's/<mass value="[^"]*"/<mass value="0"/' -e 's/\(i[xyz]*\)="[0-9.e-]*"/\1="0"/g'
spoil 'no XML' 'not XML' -e 's/<link /<link/'
spoil 'a number' "bad.urdf:6: value of <mass> is '3,5', expected a decimal number" -e 's/value="3"/value="3,5"/'
spoil 'a negative mass' "mass of link 'forearm' is -0.8 kg" -e 's/value="0.8"/value="-0.8"/'
spoil 'an inertia' 'belong to no body' -e 's/ixx="1e-3" iyy="0.006"/ixx="1e-3" iyy="0.001"/'
spoil 'a parent' "parent of joint 'elbow' is 'upper', which is no link" -e 's/<parent link="1 upper arm"\/><child link="forearm"/<parent link="upper"\/><child link="forearm"/'
spoil 'a type' "is of type 'hinge'" -e 's/type="continuous"/type="hinge"/'
spoil 'a mimic' "follows 'lever', which is no joint" -e 's/mimic joint="left"/mimic joint="lever"/'
spoil 'two roots' "hangs on no joint" -e '/name="elbow"/,/<\/joint>/d'
spoil 'massless end' 'nothing says how it moves; --repair locks that joint' \
    -e '/<link name="left">/,/<\/link>/c <link name="left"/>'
spoil 'a document type' 'declares a document type' -e '1a <!DOCTYPE robot [<!ENTITY a "b">]>'
spoil 'a macro' 'is a macro' -e 's/<transmission name="drive"/<xacro:arm name="drive"/'
expect 1 'nothing there' "$linkage" import none.urdf --root fixed -o bad.yaml
expect 1 'a device' "$linkage" import /dev/null --root fixed -o bad.yaml
expect 2 'no root said' "$linkage" import "$small/arm.urdf" -o bad.yaml
has 'no root said' '--root fixed' err
# a file whose name is a command is only a name
cp "$small/arm.urdf" '$(touch ran).urdf'
expect 0 'a command' "$linkage" import '$(touch ran).urdf' --root fixed -o named.yaml
[ ! -e ran ] || { echo 'FAIL a command: it ran'; failed=1; }

exit $failed
